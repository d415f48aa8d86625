import { randomUUID } from 'node:crypto'
import { askHost } from '#delivery/ask-host.ts'
import { createSeals } from '#domain/statements/row-seals.ts'
import type { Signer, Verifier } from '#domain/statements/statement-bytes.ts'
import type { Log, SigningSystemContext } from '#services/core/context.ts'
import { createServiceProcess } from '#services/core/system.ts'
import { createPolicyReader } from '#services/policy/activations/policy-reader.ts'
import { recordForgedMessage } from '#services/refusals/record-forged-message.ts'
import type { Config } from '../config/config.ts'
import { openLedger } from '../data-folder/ledger.ts'
import { openMemory } from '../data-folder/memory.ts'
import { openRevocations } from '../data-folder/revocations.ts'
import { hostProofReader, renewHostProof } from '../data-folder/run-secrets.ts'
import type { Environment } from '../environment.ts'
import { createSealKeyOnce, loadSealKeys } from '../keys/seal-keys.ts'
import type { Deliveries } from './deliveries.ts'
import type { Connections } from './open-connections.ts'

/**
 * The context of an API process, with what its data folder has: keys, ledger, revocations and
 * memory. `undo` ends the host's proof.
 */
export async function openSigningContext(
  undo: AsyncDisposableStack,
  options: {
    readonly config: Config
    readonly environment: Environment
    readonly log: Log
    readonly signer: Signer
    readonly verifier: Verifier
    readonly connections: Connections
    readonly deliveries: Deliveries
  },
): Promise<{ ctx: SigningSystemContext; host: ReturnType<typeof askHost> }> {
  const { config, environment, log, signer, verifier, deliveries } = options
  const { db, temporal, metrics, tracing } = options.connections
  const { dataDir, projectDir, taskQueue } = config
  await createSealKeyOnce(dataDir, environment)
  const seals = createSeals({
    sharedKeys: loadSealKeys(dataDir, environment),
    verifier,
    signer,
    revocations: openRevocations(dataDir, log),
  })
  undo.use(await renewHostProof(dataDir))
  const memory = openMemory(dataDir)
  const policies = createPolicyReader({ db, verifier, memory, log })
  const host = askHost({
    db,
    seals,
    temporal,
    policies,
    taskQueue,
    onForgedAnswer: () => recordForgedMessage(ctx, 'answer'),
  })
  const ctx: SigningSystemContext = {
    db,
    signer,
    verifier,
    seals,
    ledger: openLedger(dataDir),
    memory,
    hostProof: hostProofReader(dataDir),
    log,
    policies,
    processId: randomUUID(),
    system: createServiceProcess(),
    projectDir,
    taskQueue,
    outboxCommitted: deliveries.onCommitted,
    outboxAnnounced: deliveries.announce,
    onRecorded: (entries) => {
      metrics.recordEvents(entries)
      tracing?.recordEvents(entries)
    },
    ...host.contextMethods,
  }
  return { ctx, host }
}

import type { EvidenceKeys } from '#api/context/api.ts'
import { AuditSequencer } from '#delivery/audit-log/audit-sequencer.ts'
import type { TrailNotifications } from '#delivery/audit-log/trail-notifications.ts'
import { WitnessRelay } from '#delivery/audit-log/witness-relay.ts'
import { formatStatementKeys } from '#evidence/bundle/statement-keys.ts'
import { formatVerifierKey } from '#evidence/note/note-key.ts'
import type { SigningContext } from '#services/core/context.ts'
import type { Config } from '../config/config.ts'
import type { Environment } from '../environment.ts'
import { keepLogKey } from '../keys/log-key.ts'

/**
 * Starts what adds the trail's events to signed checkpoints, and has witnesses cosign these
 * (audit.md, Protection); `undo` stops it. Returns the keys that verify evidence, read at each use,
 * since keys rotate.
 */
export async function keepLog(
  undo: AsyncDisposableStack,
  parts: {
    ctx: SigningContext
    config: Config
    environment: Environment
    trail: TrailNotifications
  },
): Promise<EvidenceKeys> {
  const { ctx, config, environment, trail } = parts
  const { db, log, policies, verifier } = ctx
  const { dataDir } = config
  const logKey = undo.use(await keepLogKey({ db, dataDir, environment, log, trail }))
  undo.use(new AuditSequencer({ db, signer: logKey.signer, log, trail }))
  undo.use(new WitnessRelay({ db, log, policies, isDevelopment: config.developmentSignIn }))
  return {
    get auditKey() {
      return formatVerifierKey(logKey.presentSigner.key)
    },
    get statementKeys() {
      return formatStatementKeys(verifier, logKey.presentSigner)
    },
  }
}

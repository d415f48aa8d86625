import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { createApp } from '#api/app.ts'
import { askHost } from '#delivery/ask-host.ts'
import { openIdProviders } from '#delivery/oidc/open-id-provider.ts'
import { EventFeed } from '#delivery/stream/event-feed.ts'
import { TrailNotifications } from '#delivery/audit-log/trail-notifications.ts'
import { EventSequencer } from '#delivery/stream/event-sequencer.ts'
import { repeatRetention } from '#delivery/retention.ts'
import { SignInChanges } from '#delivery/sign-in-changes.ts'
import { repeatUrgencyRounds } from '#delivery/urgency-rounds.ts'
import { connectTemporal } from '#delivery/temporal-client.ts'
import { currentRequest } from '#services/core/current-request.ts'
import { createSeals } from '#domain/statements/row-seals.ts'
import { recordForgedMessage } from '#services/refusals/record-forged-message.ts'
import { createPolicyReader } from '#services/policy/activations/policy-reader.ts'
import { connectDatabase, servingAnswerMs } from '#store/database.ts'
import { hostProofReader, renewHostProof } from '../data-folder/run-secrets.ts'
import { openLedger } from '../data-folder/ledger.ts'
import { openMemory } from '../data-folder/memory.ts'
import { openRevocations } from '../data-folder/revocations.ts'
import { checkNotRestored, keepMark } from '../data-folder/high-water-mark.ts'
import { waitForDatabase } from '../schema/wait-for-database.ts'
import { checkSchema } from '../schema/check-schema.ts'
import { readConfig } from '../config/config.ts'
import { createDeliveries } from './deliveries.ts'
import { processEnvironment } from '../environment.ts'
import { keepPins } from '../project/keep-pins.ts'
import { findFolders } from '../folders.ts'
import { listen } from './http-server.ts'
import { loadSigner, publicKeyLine, signingKeyFile } from '../keys/signing-key.ts'
import { adoptOnce } from '../keys/adopt-once.ts'
import { exists } from '../files.ts'
import { keepKeys } from '../keys/keep-keys.ts'
import { loadPushKey } from '../keys/push-key.ts'
import { loadVerifier } from '../keys/public-keys.ts'
import { createSealKeyOnce, loadSealKeys } from '../keys/seal-keys.ts'
import { createLog } from '../logging.ts'
import { createApiMetrics } from '../metrics/api-metrics.ts'
import { serveMetrics } from '../metrics/serve-metrics.ts'
import { readProjectEnvironment, withoutModelKeys } from '../config/project-environment.ts'
import { putProjectIntoForce } from '../project/put-project-into-force.ts'
import { readinessReader } from './readiness.ts'
import { serveProcess } from '../processes/serve-process.ts'
import { openTracing } from '../tracing/open-tracing.ts'
import { traceApi } from '../tracing/trace-api.ts'
import { keepLog } from './keep-log.ts'
import { readSettings } from './read-settings.ts'
import { notifyPeople } from './notify-people.ts'
import type { SigningSystemContext, SystemContext } from '#services/core/context.ts'
import { createServiceProcess } from '#services/core/system.ts'
import { recordProcess } from '#services/installation/record-process.ts'
import { recordRevocations } from '#services/installation/record-revocations.ts'

/**
 * `countersign api`: the HTTP API with the dashboard, the relay and the reconciler. It alone can
 * sign.
 */
export async function runApi(options: { project?: string; data?: string }): Promise<void> {
  const folders = findFolders(options)
  const environment = withoutModelKeys(
    readProjectEnvironment(folders.projectDir, processEnvironment()),
  )
  const config = readConfig(folders, environment)
  await serveProcess(config.shutdownGraceMs, async (undo, refuse, stopping) => {
    const log = createLog('api', config.logLevel)
    const isNew = !(await exists(signingKeyFile(config.dataDir)))
    const signer = await loadSigner(config.dataDir, environment)
    const verifier = await loadVerifier(config.dataDir, environment)
    const db = connectDatabase({
      url: config.databaseUrl,
      poolSize: config.databasePoolSize,
      applicationName: 'countersign api',
      // Connecting and planning take longer than a decision. Two, because the decision and its
      // delivery to Temporal use one each.
      restingConnections: 2,
      maxAnswerMs: servingAnswerMs,
      callerNow: () => currentRequest.getStore()?.caller,
    })
    undo.defer(() => db.destroy())
    await waitForDatabase(db, stopping)
    await checkSchema(db)
    await checkNotRestored(config.dataDir, db)
    const spans = await openTracing(environment, 'countersign-api')
    if (spans !== null) undo.use(spans)
    const tracing = spans === null ? null : traceApi(spans)
    const temporal = connectTemporal({
      ...config.temporal,
      ...(tracing === null ? {} : { interceptors: tracing.interceptors }),
    })
    undo.defer(() => temporal.close())
    const metrics = createApiMetrics(db, temporal)
    if (config.metrics !== null) undo.use(await serveMetrics(metrics.page, config.metrics))
    const deliveries = createDeliveries(temporal, config, undo)
    await createSealKeyOnce(config.dataDir, environment)
    const seals = createSeals({
      sharedKeys: loadSealKeys(config.dataDir, environment),
      verifier,
      signer,
      revocations: openRevocations(config.dataDir),
    })
    undo.use(await renewHostProof(config.dataDir))
    const ledger = openLedger(config.dataDir)
    const memory = openMemory(config.dataDir)
    const policies = createPolicyReader({ db, verifier, memory, log })
    const host = askHost({
      db,
      seals,
      temporal,
      policies,
      taskQueue: config.taskQueue,
      onForgedAnswer: () => recordForgedMessage(ctx, 'answer'),
    })
    const ctx: SigningSystemContext = {
      db,
      signer,
      verifier,
      seals,
      ledger,
      memory,
      hostProof: hostProofReader(config.dataDir),
      log,
      policies,
      processId: randomUUID(),
      system: createServiceProcess(),
      projectDir: config.projectDir,
      taskQueue: config.taskQueue,
      outboxCommitted: deliveries.onCommitted,
      outboxAnnounced: deliveries.announce,
      onRecorded: (entries) => {
        metrics.recordEvents(entries)
        tracing?.recordEvents(entries)
      },
      ...host.contextMethods,
    }
    undo.use(await keepKeys(ctx, config.dataDir))
    await recordRevocations(ctx).catch((error: unknown) => {
      log.error({ err: error }, 'earlier revocations could not be recorded in the ledger')
    })
    await adoptOnce(ctx, { dataDir: config.dataDir, environment, isNew })
    await putProjectIntoForce(ctx, config, undo)
    const trail = undo.use(new TrailNotifications({ databaseUrl: config.databaseUrl }))
    undo.use(keepMark(config.dataDir, db, trail))
    deliveries.begin(ctx, refuse)
    undo.use(keepPins(ctx, host.definitionsOf, trail))
    undo.use(new EventSequencer({ db, databaseUrl: config.databaseUrl, log }))
    const pushKey = await loadPushKey(config.dataDir, environment)
    const notifications = notifyPeople(undo, { ctx, config, environment, pushKey })
    const evidence = await keepLog(undo, { ctx, config, environment, trail })
    undo.use(repeatRetention(ctx))
    undo.use(repeatUrgencyRounds(ctx))
    const events = undo.use(new EventFeed({ db, databaseUrl: config.databaseUrl }))
    const now = (): number => performance.now()
    const signIns = undo.use(new SignInChanges({ databaseUrl: config.databaseUrl, now })).cache
    const settings = await readSettings(config, { evidence, pushKey })
    const readiness = readinessReader(db, temporal, metrics.outages)
    const draining = new AbortController()
    const app = createApp({
      ctx,
      settings,
      events,
      signIns,
      identityProviderOf: openIdProviders(environment),
      readiness,
      stopping: draining.signal,
      slack: notifications.slackWorkspace,
      secretOf: (variable) => environment[variable],
      metrics: metrics.page,
      onAnswer: (answer) => {
        metrics.recordAnswer(answer)
        tracing?.recordAnswer(answer)
      },
      signInMails: notifications.signInMails,
    })
    undo.use(await recordLife(ctx))
    const listening = await listen(app, config)
    undo.defer(() => {
      draining.abort()
      return listening.drain(config.shutdownGraceMs)
    })
    log.info(
      { port: listening.port, keyId: signer.keyId, publicKey: publicKeyLine(signer) },
      'the API serves',
    )
  })
}

/** How long a process that stops waits for a Postgres that does not answer. */
const stoppingMs = 2000

/**
 * Records that this process serves; disposing, after its last answer, records that it stopped.
 * Rejects when the first cannot be recorded.
 */
async function recordLife(ctx: SystemContext): Promise<AsyncDisposable> {
  await recordProcess(ctx, 'started')
  return {
    async [Symbol.asyncDispose]() {
      const recorded = recordProcess(ctx, 'stopped').catch((error: unknown) => {
        ctx.log.warn({ err: error }, 'The stop of this process could not be recorded')
      })
      await Promise.race([recorded, pause(stoppingMs, undefined, { ref: false })])
    },
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '#api/app.ts'
import { openIdProviders } from '#delivery/oidc/open-id-provider.ts'
import { EventFeed } from '#delivery/stream/event-feed.ts'
import { TrailNotifications } from '#delivery/audit-log/trail-notifications.ts'
import { EventSequencer } from '#delivery/stream/event-sequencer.ts'
import { repeatRetention } from '#delivery/retention.ts'
import { SignInChanges } from '#delivery/sign-in-changes.ts'
import { repeatUrgencyRounds } from '#delivery/urgency-rounds.ts'
import { recordRevocations } from '#services/installation/record-revocations.ts'
import type { SystemContext } from '#services/core/context.ts'
import { recordProcess } from '#services/installation/record-process.ts'
import type { ApiSettings, EvidenceKeys } from '#api/context/api.ts'
import type { VapidKey } from '#delivery/push/encrypt-push.ts'
import { sessionTimes } from '#services/access/sessions/session-times.ts'
import { keepMark } from '../data-folder/high-water-mark.ts'
import { readConfig, type Config } from '../config/config.ts'
import { createDeliveries } from './deliveries.ts'
import { processEnvironment } from '../environment.ts'
import { keepPins } from '../project/keep-pins.ts'
import { findFolders, checkoutFolder, isUsualDataDir } from '../folders.ts'
import { listen } from './http-server.ts'
import { loadSigner, publicKeyLine, signingKeyFile } from '../keys/signing-key.ts'
import { adoptOnce } from '../keys/adopt-once.ts'
import { exists } from '../files.ts'
import { keepKeys } from '../keys/keep-keys.ts'
import { loadPushKey } from '../keys/push-key.ts'
import { loadVerifier } from '../keys/public-keys.ts'
import { createLog } from '../logging.ts'
import { readProjectEnvironment, withoutModelKeys } from '../config/project-environment.ts'
import { putProjectIntoForce } from '../project/put-project-into-force.ts'
import { readinessReader } from './readiness.ts'
import { ownLifeline } from '../processes/lifeline.ts'
import { serveProcess } from '../processes/serve-process.ts'
import { keepLog } from './keep-log.ts'
import { notifyPeople } from './notify-people.ts'
import { openConnections } from './open-connections.ts'
import { openSigningContext } from './open-signing-context.ts'
import { version } from '../version.ts'
import { readDevToken, ensureHostToken } from '../data-folder/run-secrets.ts'
import { commandForReaders } from '../own-command.ts'

const requestsPerSecond = 200
const heartbeatMs = 10_000

/** The settings of the HTTP API; makes the token of this host if there is none. */
async function readSettings(
  config: Config,
  keys: { readonly evidence: EvidenceKeys; readonly pushKey: VapidKey },
): Promise<ApiSettings> {
  const uiDir = join(checkoutFolder, 'dist', 'ui')
  return {
    publicUrl: config.publicUrl,
    trustProxy: config.trustProxy,
    developmentToken: config.developmentSignIn ? await readDevToken(config.dataDir) : null,
    hostToken: await ensureHostToken(config.dataDir),
    sessionTimes,
    uiDir: existsSync(join(uiDir, 'index.html')) ? uiDir : null,
    projectDir: config.projectDir,
    ...(isUsualDataDir(config) ? {} : { dataDir: config.dataDir }),
    isSample: config.isQuickstart,
    temporal: { uiUrl: config.temporalUiUrl, namespace: config.temporal.namespace },
    version,
    command: commandForReaders(),
    evidence: keys.evidence,
    pushKey: keys.pushKey,
    requestsPerSecond,
    heartbeatMs,
  }
}

/** `countersign api`: HTTP API, dashboard, relay and reconciler. It alone can sign. */
export async function runApi(options: { project?: string; data?: string }): Promise<void> {
  const folders = findFolders(options)
  const environment = withoutModelKeys(
    readProjectEnvironment(folders.projectDir, processEnvironment()),
  )
  const config = readConfig(folders, environment)
  const { dataDir, databaseUrl } = config
  await serveProcess(config.shutdownGraceMs, async (undo, refuse, stopping) => {
    const log = createLog('api', config.logLevel)
    const isNew = !(await exists(signingKeyFile(dataDir)))
    const signer = await loadSigner(dataDir, environment)
    const verifier = await loadVerifier(dataDir, environment)
    const connections = await openConnections(undo, { config, environment, stopping })
    const { db, temporal, metrics, tracing } = connections
    const deliveries = createDeliveries(temporal, config, undo)
    const { ctx, host } = await openSigningContext(undo, {
      config,
      environment,
      log,
      signer,
      verifier,
      connections,
      deliveries,
    })
    undo.use(await keepKeys(ctx, dataDir))
    await recordRevocations(ctx).catch((error: unknown) => {
      log.error({ err: error }, 'earlier revocations could not be recorded in the ledger')
    })
    await adoptOnce(ctx, { dataDir, environment, isNew })
    await putProjectIntoForce(ctx, config, undo, {
      say: (sentence) => ownLifeline()?.say(sentence),
      toolProblems: host.toolProblems,
    })
    const trail = undo.use(new TrailNotifications({ databaseUrl }))
    undo.use(keepMark(dataDir, db, trail))
    deliveries.begin(ctx, refuse)
    undo.use(keepPins(ctx, host.definitionsOf, trail))
    undo.use(new EventSequencer({ db, databaseUrl, log }))
    const pushKey = await loadPushKey(dataDir, environment)
    const notifications = notifyPeople(undo, { ctx, config, environment, pushKey })
    const evidence = await keepLog(undo, { ctx, config, environment, trail })
    undo.use(repeatRetention(ctx))
    undo.use(repeatUrgencyRounds(ctx))
    const draining = new AbortController()
    const app = createApp({
      ctx,
      settings: await readSettings(config, { evidence, pushKey }),
      events: undo.use(new EventFeed({ db, databaseUrl })),
      signIns: undo.use(new SignInChanges({ databaseUrl, now: () => performance.now() })).cache,
      identityProviderOf: openIdProviders(environment),
      readiness: readinessReader(db, temporal, metrics.outages),
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

import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '../../api/app.ts'
import type { ApiSettings, EvidenceKeys } from '../../api/settings.ts'
import { AuditSequencer } from '../../delivery/audit-log/audit-sequencer.ts'
import { WitnessRelay } from '../../delivery/audit-log/witness-relay.ts'
import { MailRounds } from '../../delivery/email/mail-rounds.ts'
import { SignInMails } from '../../delivery/email/sign-in-mails.ts'
import { openIdProviders } from '../../delivery/oidc/open-id-provider.ts'
import { EventFeed } from '../../delivery/stream/event-feed.ts'
import { EventSequencer } from '../../delivery/stream/event-sequencer.ts'
import {
  attachmentsRemotely,
  definitionsRemotely,
  judgeRemotely,
  manualToolsRemotely,
  replayRemotely,
} from '../../delivery/judge-remotely.ts'
import { Retention } from '../../delivery/retention.ts'
import { connectTemporal } from '../../delivery/temporal-client.ts'
import { ChannelRelay } from '../../delivery/channels/channel-relay.ts'
import { formatStatementKeys } from '../../evidence/bundle/statement-keys.ts'
import { formatVerifierKey } from '../../evidence/note/note-key.ts'
import { sessionTimes } from '../../services/access/session-times.ts'
import type { SigningContext } from '../../services/context.ts'
import { createPolicyReader } from '../../services/policy/policy-reader.ts'
import { connectDatabase } from '../../store/database.ts'
import { VERSION } from '../../cli/version.ts'
import { channelsOf } from './channels-of.ts'
import { checkNotRestored, keepMark } from '../data-folder/high-water-mark.ts'
import { checkSchema } from '../schema/check-schema.ts'
import { readConfig } from '../config.ts'
import type { Config } from '../config.ts'
import { connectSlack } from './connect-slack.ts'
import { createDeliveries } from './deliveries.ts'
import { readDevToken } from '../data-folder/dev-token.ts'
import { processEnvironment } from '../environment.ts'
import { keepPins } from '../keep-pins.ts'
import { CHECKOUT, findFolders, isUsualDataDir } from '../folders.ts'
import { ensureHostToken } from '../data-folder/host-token.ts'
import { listen } from './http-server.ts'
import { loadSigner, publicKeyLine } from '../keys.ts'
import { keepKeys } from '../keys/keep-keys.ts'
import { keepLogKey } from '../keys/log-key.ts'
import { loadVerifier } from '../keys/public-keys.ts'
import { createLog } from '../logging.ts'
import { createApiMetrics } from '../metrics/api-metrics.ts'
import { serveMetrics } from '../metrics/serve-metrics.ts'
import { readProjectEnvironment, withoutModelKeys } from '../project/project-environment.ts'
import { putProjectIntoForce } from '../project/put-project-into-force.ts'
import { readReadiness } from './readiness.ts'
import { serveProcess } from '../serve-process.ts'
import { openTracing } from '../tracing/open-tracing.ts'
import { traceApi } from '../tracing/trace-api.ts'
import { temporalConnection } from '../temporal/temporal-tls.ts'

const REQUESTS_PER_SECOND = 200
const HEARTBEAT_MS = 15_000
/** A collector that is away keeps no process from ending. */
const LAST_SPANS_MS = 2_000

/** `countersign api`: the HTTP API with the dashboard, the relay and the reconciler. It alone can sign. */
export async function runApi(options: { project?: string; data?: string }): Promise<void> {
  const folders = findFolders(options)
  const environment = withoutModelKeys(
    readProjectEnvironment(folders.projectDir, processEnvironment()),
  )
  const config = readConfig(folders, environment)
  await serveProcess(config.shutdownGraceMs, async (undo, refuse) => {
    const log = createLog('api', config.logLevel)
    const signer = await loadSigner(config.dataDir, environment)
    const verifier = await loadVerifier(config.dataDir, environment)
    const db = connectDatabase({
      url: config.databaseUrl,
      poolSize: config.databasePoolSize,
      applicationName: 'countersign api',
    })
    undo.defer(() => db.destroy())
    await checkSchema(db)
    await checkNotRestored(config.dataDir, db)
    const spans = await openTracing(environment, 'countersign-api', LAST_SPANS_MS)
    if (spans !== null) undo.use(spans)
    const tracing = spans === null ? null : traceApi(spans)
    const temporal = connectTemporal({
      ...(await temporalConnection(config.temporal)),
      namespace: config.temporal.namespace,
      ...(tracing === null ? {} : { interceptors: tracing.interceptors }),
    })
    undo.defer(() => temporal.close())
    const metrics = createApiMetrics(db, temporal)
    if (config.metrics !== null) undo.use(await serveMetrics(metrics.page, config.metrics))
    const deliveries = createDeliveries(temporal, config, undo)
    const policies = createPolicyReader({ db, verifier, log })
    const workspaceQueue = async (): Promise<string> => {
      const { config: project } = await policies.inForce()
      return project.workspaces.get('default')?.taskQueue ?? config.taskQueue
    }
    const ctx: SigningContext = {
      db,
      signer,
      verifier,
      log,
      policies,
      processId: randomUUID(),
      taskQueue: config.taskQueue,
      outboxCommitted: deliveries.committed,
      outboxAnnounced: deliveries.announced,
      recorded: (entries) => {
        metrics.recorded(entries)
        tracing?.recorded(entries)
      },
      judgeRemotely: async (question) =>
        judgeRemotely({ db, temporal, taskQueue: await workspaceQueue() }, question),
      manualToolsOf: async (worker) =>
        manualToolsRemotely({ db, temporal, taskQueue: await workspaceQueue() }, worker),
      readAttachments: async (question) =>
        attachmentsRemotely({ db, temporal, taskQueue: await workspaceQueue() }, question),
      replayRemotely: async (question) =>
        replayRemotely({ db, temporal, taskQueue: await workspaceQueue() }, question),
    }
    undo.use(await keepKeys(ctx, config.dataDir))
    await putProjectIntoForce(ctx, config, undo)
    undo.use(keepMark(config.dataDir, db))
    deliveries.begin(ctx, refuse)
    undo.use(
      keepPins(ctx, async (worker) =>
        definitionsRemotely({ db, temporal, taskQueue: await workspaceQueue() }, worker),
      ),
    )
    undo.use(new EventSequencer({ db, databaseUrl: config.databaseUrl, log }))
    const slack = connectSlack({ config, environment, policies })
    undo.use(
      new ChannelRelay({
        db,
        databaseUrl: config.databaseUrl,
        log,
        policies,
        channelsOf: (policy) =>
          channelsOf(policy, {
            db,
            publicUrl: config.publicUrl,
            isDevelopment: config.developmentSignIn,
            environment,
            slack,
          }),
      }),
    )
    const signInMails = undo.use(new SignInMails({ ctx, publicUrl: config.publicUrl, environment }))
    undo.use(new MailRounds({ db, log, policies, publicUrl: config.publicUrl }))
    const { dataDir } = config
    const logKey = undo.use(await keepLogKey({ db, dataDir, environment, log }))
    undo.use(new AuditSequencer({ db, signer: logKey.signer, log }))
    undo.use(new WitnessRelay({ db, log, policies, isDevelopment: config.developmentSignIn }))
    undo.use(new Retention(ctx))
    const events = undo.use(new EventFeed({ db, databaseUrl: config.databaseUrl }))
    const settings = await readSettings(config, {
      get auditKey() {
        return formatVerifierKey(logKey.shown.key)
      },
      get statementKeys() {
        return formatStatementKeys(verifier, logKey.shown)
      },
    })
    const readiness = () => readReadiness(db, temporal)
    const stopping = new AbortController()
    const app = createApp({
      ctx,
      settings,
      events,
      identityProviderOf: openIdProviders(environment),
      readiness,
      stopping: stopping.signal,
      slack: slack.workspace,
      metrics: metrics.page,
      answered: (answer) => {
        metrics.answered(answer)
        tracing?.answered(answer)
      },
      signInMails,
    })
    const listening = await listen(app, config)
    undo.defer(() => {
      stopping.abort()
      return listening.drain(config.shutdownGraceMs)
    })
    log.info(
      { port: listening.port, keyId: signer.keyId, publicKey: publicKeyLine(signer) },
      'the API serves',
    )
  })
}

async function readSettings(config: Config, evidence: EvidenceKeys): Promise<ApiSettings> {
  const uiDir = join(CHECKOUT, 'dist', 'ui')
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
    version: VERSION,
    evidence,
    requestsPerSecond: REQUESTS_PER_SECOND,
    heartbeatMs: HEARTBEAT_MS,
  }
}

import { randomUUID } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { NativeConnection, type Worker } from '@temporalio/worker'
import { withGatewayWorkers } from '#policy/worker/gateway-workers.ts'
import { createWorkers } from '#activities/create-workers.ts'
import { connectTemporal } from '#delivery/temporal-client.ts'
import { repeatWorktreeRetention } from '#delivery/worktree-retention.ts'
import { createSeals } from '#domain/statements/row-seals.ts'
import { finishMerges } from '#sandbox/worktrees/finish-merges.ts'
import { createPolicyReader } from '#services/policy/activations/policy-reader.ts'
import {
  rememberNamespace,
  ForeignNamespaceError,
} from '#services/installation/remember-namespace.ts'
import { undoLostCommands } from '#services/engine/attempts/undo-lost-command.ts'
import { prepareCall } from '#services/engine/starting/prepare-call.ts'
import { settleLostAttempts } from '#services/engine/executions/settle-lost-attempts.ts'
import { settleAttempt } from '#services/engine/executions/settle-unknown.ts'
import type { Log } from '#services/core/context.ts'
import type { WorkerContext } from '#services/core/worker-context.ts'
import { connectDatabase, servingAnswerMs } from '#store/database.ts'
import { lostExecutors, recordExecutor } from '../data-folder/executors.ts'
import { openLedger } from '../data-folder/ledger.ts'
import { openMemory } from '../data-folder/memory.ts'
import { openRevocations } from '../data-folder/revocations.ts'
import { checkNotRestored } from '../data-folder/high-water-mark.ts'
import { waitForDatabase } from '../schema/wait-for-database.ts'
import { checkSchema } from '../schema/check-schema.ts'
import { readConfig } from '../config/config.ts'
import { processEnvironment } from '../environment.ts'
import { findFolders } from '../folders.ts'
import { createLog } from '../logging.ts'
import {
  readProjectEnvironment,
  withoutSealKey,
  withoutSigningKey,
} from '../config/project-environment.ts'
import { ownLifeline } from '../processes/lifeline.ts'
import { Refusal, serveProcess } from '../processes/serve-process.ts'
import { observeWorker } from './observe-worker.ts'
import { openWorkerContext, type OpenWorkerContext } from './open-worker-context.ts'
import { installRuntime } from './sdk-runtime.ts'
import type { ToolProcesses } from '../project/tool-processes.ts'
import { toolProblemsText } from '../project/tool-problems-text.ts'
import { loadVerifier } from '../keys/public-keys.ts'
import { loadSealKeys } from '../keys/seal-keys.ts'
import { waitForKeys } from '../keys/wait-for-keys.ts'
import { waitForTemporal } from './wait-for-temporal.ts'
import { watchNamespace } from './watch-namespace.ts'
import { loadWorkflowBundle } from './workflow-bundle.ts'

/** Calls to Temporal of a starting worker may take long, because no person waits for them. */
const temporalTimeoutMs = 20_000

/**
 * `countersign temporal-worker`: carries out turns and calls. It has the keys that verify
 * statements, and none that signs them.
 */
export async function runTemporalWorker(options: {
  project?: string
  data?: string
}): Promise<void> {
  const folders = findFolders(options)
  const projectEnvironment = withoutSigningKey(
    readProjectEnvironment(folders.projectDir, processEnvironment()),
  )
  const environment = withoutSealKey(projectEnvironment)
  const config = readConfig(folders, environment)
  await serveProcess(config.shutdownGraceMs, async (undo, refuse, stopping) => {
    const log = createLog('temporal-worker', config.logLevel)
    const bundle = loadWorkflowBundle(environment, (sentence) => log.info({}, sentence))
    bundle.catch(() => undefined)
    const db = undo.use(
      connectDatabase({
        url: config.databaseUrl,
        poolSize: config.databasePoolSize,
        applicationName: 'countersign temporal-worker',
        // The first call after a pause needs no new connection. Each takes 12 MiB of Postgres.
        restingConnections: 1,
        maxAnswerMs: servingAnswerMs,
      }),
    )
    const observers = await observeWorker(undo, { db, config, environment })
    await waitForDatabase(db, stopping)
    await checkSchema(db)
    await checkNotRestored(config.dataDir, db)
    const verifier = await waitForKeys(() => loadVerifier(config.dataDir, environment))
    const { namespace, ...address } = config.temporal
    const temporal = undo.use(
      connectTemporal({ ...config.temporal, deadlineMs: temporalTimeoutMs }),
    )
    const awaited = { address: address.address, stopping }
    const namespaceId = await waitForTemporal(awaited, () => temporal.namespaceId())
    await rememberNamespace(db, namespaceId).catch((error: unknown) => {
      throw error instanceof ForeignNamespaceError ? new Refusal(error.message) : error
    })
    undo.use(watchNamespace({ db, temporal }, refuse))
    const seals = createSeals({
      sharedKeys: await waitForKeys(() => loadSealKeys(config.dataDir, projectEnvironment)),
      verifier,
      signer: null,
      revocations: openRevocations(config.dataDir, log),
    })
    const memory = openMemory(config.dataDir)
    const policies = createPolicyReader({ db, verifier, memory, log })
    const ledger = openLedger(config.dataDir)
    const records = { db, verifier, seals, ledger, memory, log, policies }
    const opening = { config, environment, observers }
    const { ctx, toolProcesses } = await openWorkerContext(undo, records, opening)
    await settleLostWork(ctx)
    undo.use(await recordExecutor(ctx.commandSite.dataDir, ctx.executor))
    installRuntime(config.logLevel, log, observers.sdkMetrics)
    // Messages contain only ids: compressing them takes more time than it saves in transfer.
    const grpcCompression = { codec: 'none' } as const
    const connection = await waitForTemporal(awaited, () =>
      NativeConnection.connect({ ...address, grpcCompression }),
    )
    undo.defer(() => connection.close())
    // For the threads that start after this (workflows, searches): they make few new objects.
    setFlagsFromString('--max-semi-space-size=2')
    const workers = await createWorkers(ctx, {
      connection,
      namespace,
      taskQueue: config.taskQueue,
      workflowBundle: await bundle,
      maxCachedWorkflows: config.maxCachedWorkflows,
      shutdownGraceMs: config.shutdownGraceMs,
      activityInterceptors: observers.interceptors,
    })
    runWorkers(undo, workers, log)
    undo.use(repeatWorktreeRetention(ctx))
    void warmTools(ctx, toolProcesses)
    log.info({ taskQueue: config.taskQueue }, 'the Temporal worker serves')
  })
}

/**
 * Starts in advance what the first call needs: the connection, statements and code that read a
 * call, a tool process of the policy in force, and the workers' MCP servers.
 */
async function warmTools(ctx: WorkerContext, toolProcesses: ToolProcesses): Promise<void> {
  // An id that no call has.
  await prepareCall(ctx, randomUUID()).catch((error: unknown) => {
    ctx.log.warn({ err: error }, 'no call could be read before the first one')
  })
  try {
    const policy = withGatewayWorkers(await ctx.policies.inForce())
    const loaded = await (await toolProcesses.of(policy))?.describe()
    const sentence = toolProblemsText(loaded?.problems ?? [])
    if (sentence !== null) {
      ctx.log.warn({}, sentence)
      ownLifeline()?.say(sentence)
    }
    for (const worker of policy.workers.values()) {
      if (worker.mcpServers.size > 0) await ctx.registryOf(policy, worker.name)
    }
  } catch (error) {
    ctx.log.warn({ err: error }, 'the project’s tools could not be loaded before the first call')
  }
}

/** Runs the workers until the process stops. One that ends by itself ends the process. */
function runWorkers(undo: AsyncDisposableStack, workers: readonly Worker[], log: Log): void {
  const running = workers.map((worker) => worker.run())
  for (const run of running) {
    // It cannot continue: the supervisor starts the process again.
    run.catch((error: unknown) => {
      log.error({ err: error }, 'a Temporal worker ended')
      process.exit(1)
    })
  }
  undo.defer(async () => {
    for (const worker of workers) worker.shutdown()
    await Promise.allSettled(running)
  })
}

/** Completes or settles what processes of this host left when they were killed. */
async function settleLostWork(ctx: OpenWorkerContext['ctx']): Promise<void> {
  const { dataDir } = ctx.commandSite
  await finishMerges(dataDir, (folder, error) =>
    ctx.log.error({ folder, err: error }, 'A merge could not be completed'),
  )
  await undoLostCommands(ctx, (attempt) => settleAttempt(ctx, attempt))
  for (const lost of await lostExecutors(dataDir)) {
    if (await settleLostAttempts(ctx, lost.executor)) await lost.forget()
  }
}

import { randomUUID } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { hostname } from 'node:os'
import { NativeConnection } from '@temporalio/worker'
import { withGatewayWorkers } from '#policy/worker/gateway-workers.ts'
import { createWorkers } from '#activities/create-workers.ts'
import { connectTemporal } from '#delivery/temporal-client.ts'
import { WorktreeRetention } from '#delivery/worktree-retention.ts'
import { pinReader } from '#services/policy/pins/await-pin.ts'
import { createSeals } from '#domain/statements/row-seals.ts'
import { remoteGitEnvironment } from '#sandbox/worktrees/remote-git.ts'
import { finishMerges } from '#sandbox/worktrees/finish-merges.ts'
import { createPolicyReader } from '#services/policy/activations/policy-reader.ts'
import {
  rememberNamespace,
  ForeignNamespaceError,
} from '#services/installation/remember-namespace.ts'
import { undoLostCommands } from '#services/engine/attempts/undo-lost-command.ts'
import { settleLostAttempts } from '#services/engine/executions/settle-lost-attempts.ts'
import { settleUnknown } from '#services/engine/executions/settle-unknown.ts'
import type { WorkerContext } from '#services/core/worker-context.ts'
import { TranscriptCache } from '#services/transcript/transcript-cache.ts'
import { openModel } from '#models/open-model.ts'
import { commandHost, findSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { connectDatabase, servingAnswerMs } from '#store/database.ts'
import { openMcpServers } from '#tools/mcp/mcp-servers.ts'
import { spawnInSandbox } from '#tools/mcp/spawn-in-sandbox.ts'
import { watchNames } from '#tools/mcp/watch-names.ts'
import { buildRegistry } from '#tools/registry.ts'
import { recordRefusedProgram } from '#services/refusals/record-refused-program.ts'
import { hostProofReader } from '../data-folder/run-secrets.ts'
import { lostExecutors, noteExecutor } from '../data-folder/executors.ts'
import { openLedger } from '../data-folder/ledger.ts'
import { openMemory } from '../data-folder/memory.ts'
import { openRevocations } from '../data-folder/revocations.ts'
import { checkNotRestored } from '../data-folder/high-water-mark.ts'
import { waitForDatabase } from '../schema/wait-for-database.ts'
import { checkSchema } from '../schema/check-schema.ts'
import { readConfig } from '../config/config.ts'
import { processEnvironment, readText } from '../environment.ts'
import { findFolders } from '../folders.ts'
import { createLog } from '../logging.ts'
import { createWorkerMetrics } from '../metrics/activity-metrics.ts'
import { watchLoop } from '../loop/loop-turns.ts'
import {
  readProjectEnvironment,
  withoutSealKey,
  withoutSigningKey,
} from '../config/project-environment.ts'
import { Refusal, serveProcess } from '../processes/serve-process.ts'
import { observedModel } from '../metrics/observed-model.ts'
import { placeSdkMetrics } from '../metrics/sdk-metrics.ts'
import { installRuntime } from './sdk-runtime.ts'
import { openTracing } from '../tracing/open-tracing.ts'
import { traceWorker } from '../tracing/trace-worker.ts'
import { ToolProcesses } from '../project/tool-processes.ts'
import { waitForSealKeys, waitForVerifier } from '../keys/wait-for-verifier.ts'
import { waitForTemporal } from './wait-for-temporal.ts'
import { watchNamespace } from './watch-namespace.ts'
import { loadWorkflowBundle } from './workflow-bundle.ts'
import { Workspaces } from '../project/workspaces.ts'
import { createServiceProcess } from '#services/core/system.ts'
import { defaultWorkspace } from '#domain/tools/workspace-name.ts'

/**
 * A watched folder is activated shortly after it changes; in production a person activates it, much
 * later.
 */
const inForceTimeoutMs = 15_000
/** Calls to Temporal of a starting worker may take long, because no person waits for them. */
const temporalTimeoutMs = 20_000
/**
 * Then it is not ready; `countersign start`, which can report why, kills it earlier
 * (own-processes.ts).
 */
const loopLateMs = 5_000
const loopWedgedMs = 30_000

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
    const db = connectDatabase({
      url: config.databaseUrl,
      poolSize: config.databasePoolSize,
      applicationName: 'countersign temporal-worker',
      // The first call after a pause needs no new connection. Each takes 12 MiB of Postgres.
      restingConnections: 1,
      maxAnswerMs: servingAnswerMs,
    })
    undo.defer(() => db.destroy())
    const metrics = config.workerMetrics === null ? null : createWorkerMetrics(db)
    const sdkMetrics = metrics === null ? null : await placeSdkMetrics()
    undo.use(
      await watchLoop({
        lateMs: loopLateMs,
        wedgedMs: loopWedgedMs,
        address: config.workerMetrics,
        page: metrics === null || sdkMetrics === null ? null : sdkMetrics.behind(metrics.page),
      }),
    )
    const spans = await openTracing(environment, 'countersign-temporal-worker')
    if (spans !== null) undo.use(spans)
    const tracing = spans === null ? null : traceWorker(spans)
    const observers = [metrics, tracing].filter((observer) => observer !== null)
    await waitForDatabase(db, stopping)
    await checkSchema(db)
    await checkNotRestored(config.dataDir, db)
    const verifier = await waitForVerifier(config.dataDir, environment)
    const { namespace, ...address } = config.temporal
    const temporal = connectTemporal({ ...config.temporal, deadlineMs: temporalTimeoutMs })
    undo.defer(() => temporal.close())
    const awaited = { address: address.address, stopping }
    const namespaceId = await waitForTemporal(awaited, () => temporal.namespaceId())
    await rememberNamespace(db, namespaceId).catch((error: unknown) => {
      throw error instanceof ForeignNamespaceError ? new Refusal(error.message) : error
    })
    undo.use(watchNamespace({ db, temporal }, refuse))
    const seals = createSeals({
      sharedKeys: await waitForSealKeys(config.dataDir, projectEnvironment),
      verifier,
      signer: null,
      revocations: openRevocations(config.dataDir),
    })
    const ledger = openLedger(config.dataDir)
    const memory = openMemory(config.dataDir)
    const policies = createPolicyReader({ db, verifier, memory, log })
    const toolProcesses = undo.use(
      new ToolProcesses({ projectDir: config.projectDir, environment }),
    )
    const workspaces = new Workspaces({ folders: config, taskQueue: config.taskQueue })
    const processId = randomUUID()
    const sandbox = await findSandbox(readText(environment, 'COUNTERSIGN_BWRAP') ?? 'bwrap')
    if (!sandbox.works) {
      log.warn({}, `no command is pre-approved: ${sandbox.problem}; ${sandbox.remedy}`)
    }
    const dataDir = await realpath(config.dataDir)
    const commands = {
      sandbox,
      dataDir,
      projectDir: config.projectDir,
      gitEnvironment: remoteGitEnvironment(processEnvironment()),
    }
    const mcpServers = undo.use(
      openMcpServers({
        environment,
        spawnConfined: spawnInSandbox(commands, (changed) => recordRefusedProgram(ctx, changed)),
        watchNames: watchNames(commands),
        pins: { read: pinReader({ db, verifier, log }) },
        onMessageEnded: metrics?.serverMessageEnded,
        workspaceOf: (policy) =>
          workspaces.of(policy, {
            taskQueue: config.taskQueue,
            workspace: policy.config.workspace ?? defaultWorkspace,
          }),
      }),
    )
    const ctx: WorkerContext = {
      db,
      verifier,
      seals,
      ledger,
      memory,
      hostProof: hostProofReader(config.dataDir),
      log,
      policies,
      processId,
      system: createServiceProcess(),
      outboxCommitted: null,
      ...(observers.length === 0
        ? {}
        : {
            onRecorded: (entries) =>
              observers.forEach((observer) => observer.recordEvents(entries)),
            aroundTurn: (of, act) =>
              observers.reduceRight<typeof act>(
                (inner, observer) => () => observer.aroundTurn(of, inner),
                act,
              )(),
          }),
      ...(tracing === null ? {} : { aroundTool: tracing.aroundTool }),
      executor: `${hostname()}:${process.pid}:${processId}`,
      projectDir: config.projectDir,
      commandHost: commandHost(sandbox),
      commandSite: commands,
      mcpServers,
      workspaceOf: (place, policy) => workspaces.of(policy, place),
      worktreeBase: (place, policy) => workspaces.worktreeBase(policy, place),
      registryOf: async (policy, worker, needed, place) =>
        buildRegistry({
          policy,
          worker,
          needed,
          worktree: place?.worktree === undefined ? undefined : () => workspaces.of(policy, place),
          toolProcess: await toolProcesses.of(policy),
          commands,
          mcpServers,
          project: {
            dir: config.projectDir,
            inForceWithinMs: inForceTimeoutMs,
            inForce: () => policies.inForce(),
          },
        }),
      transcripts: new TranscriptCache(),
      modelOf: ({ model: name, script, settings }, config) => {
        const { models } = config
        const model = openModel({ model: name, script, settings, models, environment })
        return observers.length === 0
          ? model
          : observedModel(model, { name, config }, (step) => {
              for (const observer of observers) observer.stepEnded(step)
            })
      },
    }
    await finishMerges(dataDir, (folder, error) =>
      log.error({ folder, err: error }, 'A merge could not be completed'),
    )
    await undoLostCommands(ctx, (callId) => settleUnknown(ctx, { callId }))
    for (const lost of await lostExecutors(dataDir)) {
      if (await settleLostAttempts(ctx, lost.executor)) await lost.forget()
    }
    undo.use(await noteExecutor(dataDir, ctx.executor))
    installRuntime(config.logLevel, log, sdkMetrics)
    // Messages contain only ids: compressing them takes more time than it saves in transfer.
    const grpcCompression = { codec: 'none' } as const
    const connection = await waitForTemporal(awaited, () =>
      NativeConnection.connect({ ...address, grpcCompression }),
    )
    undo.defer(() => connection.close())
    const workers = await createWorkers(ctx, {
      connection,
      namespace,
      taskQueue: config.taskQueue,
      workflowBundle: await bundle,
      maxCachedWorkflows: config.maxCachedWorkflows,
      shutdownGraceMs: config.shutdownGraceMs,
      activityInterceptors: observers.map((observer) => observer.interceptor),
    })
    const running = workers.map((worker) => worker.run())
    for (const run of running) {
      // A worker that ends by itself cannot continue: the process ends and is restarted.
      run.catch((error: unknown) => {
        log.error({ err: error }, 'a Temporal worker ended')
        process.exit(1)
      })
    }
    undo.defer(async () => {
      for (const worker of workers) worker.shutdown()
      await Promise.allSettled(running)
    })
    undo.use(new WorktreeRetention(ctx))
    void warmTools(ctx, toolProcesses)
    log.info({ taskQueue: config.taskQueue }, 'the Temporal worker serves')
  })
}

/**
 * Starts in advance what the first call needs: a tool process of the policy in force, and the
 * workers' MCP servers.
 */
async function warmTools(ctx: WorkerContext, toolProcesses: ToolProcesses): Promise<void> {
  try {
    const policy = withGatewayWorkers(await ctx.policies.inForce())
    await (await toolProcesses.of(policy))?.describe()
    for (const worker of policy.workers.values()) {
      if (worker.mcpServers.size > 0) await ctx.registryOf(policy, worker.name)
    }
  } catch (error) {
    ctx.log.warn({ err: error }, 'the project’s tools could not be loaded before the first call')
  }
}

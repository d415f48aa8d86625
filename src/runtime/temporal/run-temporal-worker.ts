import { randomUUID } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { hostname } from 'node:os'
import { NativeConnection } from '@temporalio/worker'
import { createWorkers } from '../../activities/create-workers.ts'
import { connectTemporal } from '../../delivery/temporal-client.ts'
import { pinReader } from '../../services/policy/pins/await-pin.ts'
import { createPolicyReader } from '../../services/policy/policy-reader.ts'
import {
  rememberNamespace,
  ForeignNamespaceError,
} from '../../services/installation/remember-namespace.ts'
import { lookAfterLostCommands } from '../../services/executions/attempts/left-by-command.ts'
import { settleUnknown } from '../../services/executions/settle-unknown.ts'
import type { WorkerContext } from '../../services/worker-context.ts'
import { openModel } from '../../models/open-model.ts'
import { commandHost } from '../../sandbox/bwrap/command-host.ts'
import { findSandbox } from '../../sandbox/bwrap/find-sandbox.ts'
import { connectDatabase } from '../../store/database.ts'
import { openMcpServers } from '../../tools/mcp/mcp-servers.ts'
import { spawnInSandbox } from '../../tools/mcp/spawn-in-sandbox.ts'
import { watchNames } from '../../tools/mcp/watch-names.ts'
import { buildRegistry } from '../../tools/registry.ts'
import { checkNotRestored } from '../data-folder/high-water-mark.ts'
import { checkSchema } from '../schema/check-schema.ts'
import { readConfig } from '../config.ts'
import { processEnvironment, readText } from '../environment.ts'
import { findFolders } from '../folders.ts'
import { createLog } from '../logging.ts'
import { createWorkerMetrics } from '../metrics/activity-metrics.ts'
import { serveMetrics } from '../metrics/serve-metrics.ts'
import { readProjectEnvironment, withoutSigningKey } from '../project/project-environment.ts'
import { Refusal, serveProcess } from '../serve-process.ts'
import { installRuntime } from './sdk-runtime.ts'
import { openTracing } from '../tracing/open-tracing.ts'
import { traceWorker } from '../tracing/trace-worker.ts'
import { temporalConnection } from './temporal-tls.ts'
import { ToolProcesses } from '../project/tool-processes.ts'
import { waitForVerifier } from '../wait-for-verifier.ts'
import { watchNamespace } from './watch-namespace.ts'
import { loadWorkflowBundle } from '../workflow-bundle.ts'
import { Workspaces } from '../project/workspaces.ts'

/** A watched folder is in force a moment after it changed; in production a person activates it, much later. */
const WORKER_IN_FORCE_WITHIN_MS = 15_000
/** `countersign temporal-worker`: carries out turns and calls. It can verify, and cannot sign. */
export async function runTemporalWorker(options: {
  project?: string
  data?: string
}): Promise<void> {
  const folders = findFolders(options)
  const environment = withoutSigningKey(
    readProjectEnvironment(folders.projectDir, processEnvironment()),
  )
  const config = readConfig(folders, environment)
  await serveProcess(config.shutdownGraceMs, async (undo, refuse) => {
    const log = createLog('temporal-worker', config.logLevel)
    const bundle = loadWorkflowBundle(environment, (sentence) => log.info({}, sentence))
    bundle.catch(() => undefined)
    const db = connectDatabase({
      url: config.databaseUrl,
      poolSize: config.databasePoolSize,
      applicationName: 'countersign temporal-worker',
    })
    undo.defer(() => db.destroy())
    const metrics = config.workerMetrics === null ? null : createWorkerMetrics(db)
    if (metrics !== null && config.workerMetrics !== null) {
      undo.use(await serveMetrics(metrics.page, config.workerMetrics))
    }
    const spans = await openTracing(environment, 'countersign-temporal-worker')
    if (spans !== null) undo.use(spans)
    const tracing = spans === null ? null : traceWorker(spans)
    const told = [metrics, tracing].filter((one) => one !== null)
    await checkSchema(db)
    await checkNotRestored(config.dataDir, db)
    const verifier = await waitForVerifier(config.dataDir, environment)
    const address = await temporalConnection(config.temporal)
    const { namespace } = config.temporal
    const temporal = connectTemporal({ ...address, namespace })
    undo.defer(() => temporal.close())
    await rememberNamespace(db, await temporal.namespaceId()).catch((error: unknown) => {
      throw error instanceof ForeignNamespaceError ? new Refusal(error.message) : error
    })
    undo.use(watchNamespace({ db, temporal }, refuse))
    const policies = createPolicyReader({ db, verifier, log })
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
    const commands = { sandbox, dataDir, projectDir: config.projectDir }
    const mcpServers = undo.use(
      openMcpServers({
        environment,
        spawnConfined: spawnInSandbox(commands),
        watchNames: watchNames(commands),
        pins: { read: pinReader({ db, verifier, log }) },
        workspaceOf: (policy) => workspaces.of(policy, config.taskQueue),
      }),
    )
    const ctx: WorkerContext = {
      db,
      verifier,
      log,
      policies,
      processId,
      outboxCommitted: null,
      ...(told.length === 0
        ? {}
        : { recorded: (entries) => told.forEach((one) => one.recorded(entries)) }),
      ...(tracing === null ? {} : { aroundTool: tracing.aroundTool }),
      executor: `${hostname()}:${process.pid}:${processId}`,
      projectDir: config.projectDir,
      commandHost: commandHost(sandbox),
      commandSite: commands,
      mcpServers,
      workspaceOf: ({ taskQueue }, policy) => workspaces.of(policy, taskQueue),
      registryOf: async (policy, worker) =>
        buildRegistry({
          policy,
          worker,
          toolProcess: await toolProcesses.of(policy),
          commands,
          mcpServers,
          project: {
            dir: config.projectDir,
            inForceWithinMs: WORKER_IN_FORCE_WITHIN_MS,
            inForce: () => policies.inForce(),
          },
        }),
      modelOf: (model, script) => openModel({ model, script, environment }),
    }
    await lookAfterLostCommands(ctx, (callId) => settleUnknown(ctx, { callId }))
    installRuntime(config.logLevel, log)
    const connection = await NativeConnection.connect(address)
    undo.defer(() => connection.close())
    const workers = await createWorkers(ctx, {
      connection,
      namespace,
      taskQueue: config.taskQueue,
      workflowBundle: await bundle,
      maxCachedWorkflows: config.maxCachedWorkflows,
      shutdownGraceMs: config.shutdownGraceMs,
      activityInterceptors: told.map((one) => one.interceptor),
    })
    const running = workers.map((worker) => worker.run())
    for (const run of running) {
      // A worker that ends by itself cannot go on: the process ends and is started again.
      run.catch((error: unknown) => {
        log.error({ err: error }, 'a Temporal worker ended')
        process.exit(1)
      })
    }
    undo.defer(async () => {
      for (const worker of workers) worker.shutdown()
      await Promise.allSettled(running)
    })
    void warmTools(ctx, toolProcesses)
    log.info({ taskQueue: config.taskQueue }, 'the Temporal worker serves')
  })
}

/** Starts what the first call would wait for: a tool process of the policy in force, and the workers' MCP servers. */
async function warmTools(ctx: WorkerContext, toolProcesses: ToolProcesses): Promise<void> {
  try {
    const policy = await ctx.policies.inForce()
    await (await toolProcesses.of(policy))?.describe()
    for (const worker of policy.workers.values()) {
      if (worker.mcpServers.size > 0) await ctx.registryOf(policy, worker.name)
    }
  } catch (error) {
    ctx.log.warn({ err: error }, 'the project’s tools could not be loaded ahead of the first call')
  }
}

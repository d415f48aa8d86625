import { randomUUID } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { hostname } from 'node:os'
import { defaultWorkspace } from '#domain/tools/workspace-name.ts'
import { openModel } from '#models/open-model.ts'
import { commandHost, findSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { remoteGitEnvironment } from '#sandbox/worktrees/remote-git.ts'
import { createServiceProcess } from '#services/core/system.ts'
import type { WorkerContext } from '#services/core/worker-context.ts'
import { pinReader } from '#services/policy/pins/await-pin.ts'
import { recordRefusedProgram } from '#services/refusals/record-refused-program.ts'
import { TranscriptCache } from '#services/transcript/transcript-cache.ts'
import type { CommandSite } from '#tools/commands/plan/command-place.ts'
import { openMcpServers } from '#tools/mcp/mcp-servers.ts'
import { spawnInSandbox } from '#tools/mcp/sandbox/spawn-in-sandbox.ts'
import { watchNames } from '#tools/mcp/sandbox/watch-names.ts'
import { buildRegistry } from '#tools/registry.ts'
import type { Config } from '../config/config.ts'
import { hostProofReader } from '../data-folder/run-secrets.ts'
import { processEnvironment, readText, type Environment } from '../environment.ts'
import { ToolProcesses } from '../project/tool-processes.ts'
import { Workspaces } from '../project/workspaces.ts'
import type { WorkerObservers } from './observe-worker.ts'

/** A watched folder is activated soon after a change; in production by a person, later. */
const inForceTimeoutMs = 15_000

/** The parts of the context that do not depend on the host's workspaces, tools and models. */
type Records = Pick<
  WorkerContext,
  'db' | 'verifier' | 'seals' | 'ledger' | 'memory' | 'log' | 'policies'
>

/** A Temporal worker's context, with the processes of the project's tools. */
export interface OpenWorkerContext {
  readonly ctx: WorkerContext & { readonly commandSite: CommandSite }
  readonly toolProcesses: ToolProcesses
}

/**
 * Opens the host's side of a Temporal worker: its sandbox, workspaces, tool processes, MCP servers
 * and models.
 */
export async function openWorkerContext(
  undo: AsyncDisposableStack,
  records: Records,
  options: {
    readonly config: Config
    readonly environment: Environment
    readonly observers: WorkerObservers
  },
): Promise<OpenWorkerContext> {
  const { config, environment, observers } = options
  const { db, verifier, log, policies } = records
  const { projectDir, taskQueue } = config
  const toolProcesses = undo.use(new ToolProcesses({ projectDir, environment }))
  const workspaces = new Workspaces({ folders: config, taskQueue })
  const processId = randomUUID()
  const commands = await openCommandSite(config, environment, log)
  const mcpServers = undo.use(
    openMcpServers({
      environment,
      spawnConfined: spawnInSandbox(commands, (changed) => recordRefusedProgram(ctx, changed)),
      watchNames: watchNames(commands),
      pins: { read: pinReader({ db, verifier, log }) },
      onMessageEnded: observers.serverMessageEnded,
      workspaceOf: (policy) =>
        workspaces.of(policy, {
          taskQueue,
          workspace: policy.config.workspace ?? defaultWorkspace,
        }),
    }),
  )
  const ctx: OpenWorkerContext['ctx'] = {
    ...records,
    ...observers.contextMethods,
    hostProof: hostProofReader(config.dataDir),
    processId,
    system: createServiceProcess(),
    outboxCommitted: null,
    executor: `${hostname()}:${process.pid}:${processId}`,
    projectDir,
    commandHost: commandHost(commands.sandbox),
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
          dir: projectDir,
          inForceWithinMs: inForceTimeoutMs,
          inForce: () => policies.inForce(),
        },
      }),
    toolProblems: (policy) => toolProcesses.problemsOf(policy),
    transcripts: new TranscriptCache(),
    modelOf: ({ model: name, script, settings }, config) => {
      const { models } = config
      const model = openModel({ model: name, script, settings, models, environment })
      return observers.observe(model, { name, config })
    },
  }
  return { ctx, toolProcesses }
}

/** Where this host runs commands. Without a sandbox the log says that none is pre-approved. */
async function openCommandSite(
  config: Config,
  environment: Environment,
  log: WorkerContext['log'],
): Promise<CommandSite> {
  const sandbox = await findSandbox(readText(environment, 'COUNTERSIGN_BWRAP') ?? 'bwrap')
  if (!sandbox.works) {
    log.warn({}, `no command is pre-approved: ${sandbox.problem}; ${sandbox.remedy}`)
  }
  return {
    sandbox,
    dataDir: await realpath(config.dataDir),
    projectDir: config.projectDir,
    gitEnvironment: remoteGitEnvironment(processEnvironment()),
  }
}

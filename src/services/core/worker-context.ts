import type { CommandHost } from '#domain/tools/command.ts'
import type { ExecuteContext, Tool, ToolRegistry } from '#domain/tools/tool.ts'
import type { Model } from '#models/model.ts'
import type { Policy } from '#policy/policy.ts'
import type { ProjectConfig } from '#policy/project-config.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import type { OpenWorkspace } from '#sandbox/workspace.ts'
import type { CommandSite } from '#tools/commands/plan/command-place.ts'
import type { ToolFileProblem } from '#tools/custom/tool-protocol.ts'
import type { McpServers } from '#tools/mcp/mcp-servers.ts'
import type { TranscriptCache } from '../transcript/transcript-cache.ts'
import type { SystemContext } from './context.ts'
import type { WorktreeBaseAnswer } from './host-queries.ts'
import type { RunPlace } from './run-place.ts'

/**
 * The context of a Temporal worker process: the workspace, the project's tools and the models. It
 * has no signer.
 */
export interface WorkerContext extends SystemContext {
  /** names this host's process in `execution.executor` */
  readonly executor: string
  /** absolute path of the project folder */
  readonly projectDir: string
  /** the abilities of this host that policy asks about for commands */
  readonly commandHost: CommandHost
  /** the MCP servers of this host's workers; absent: it has none */
  readonly mcpServers?: McpServers
  /** where this host runs commands; absent: it runs none */
  readonly commandSite?: CommandSite
  /** the transcripts that this process has read; absent: each turn reads its run whole */
  readonly transcripts?: TranscriptCache
  /** Opens the workspace of a policy that a run works in, on this host. */
  workspaceOf(place: RunPlace, policy: Policy): Promise<OpenWorkspace>
  /** Where the worktree of a run that starts now in a workspace of a policy begins. */
  worktreeBase(place: RunPlace, policy: Policy): Promise<WorktreeBaseAnswer>
  /**
   * The tools of a worker under a policy; a worker that no longer exists has none. `needed`: the
   * names that are looked up, so that nothing waits for an MCP server that has none of these;
   * absent: all tools are listed. `place`: where the run of these calls works, in whose worktree
   * servers on standard input work; absent: they work in the workspace's folder.
   */
  registryOf(
    policy: Policy,
    worker: string,
    needed?: readonly string[],
    place?: RunPlace,
  ): Promise<ToolRegistry>
  /**
   * Loads the tool files of a policy in a process of its own, and returns what does not load;
   * absent: this host loads none.
   */
  readonly toolProblems?: (policy: Policy) => Promise<readonly ToolFileProblem[]>
  /** The model of a worker, at the endpoints of the policy in force. */
  modelOf(
    worker: Pick<WorkerDefinition, 'model' | 'script' | 'settings'>,
    config: Pick<ProjectConfig, 'models'>,
  ): Model
  /** wraps a tool's effect, for traces, and reports its position in them; absent: no wrapper */
  readonly aroundTool?: <T>(
    of: { readonly callId: string; readonly tool: Pick<Tool, 'name' | 'server'> },
    act: (place: Pick<ExecuteContext, 'traceparent'>) => Promise<T>,
  ) => Promise<T>
  /** wraps a turn, for metrics and traces; absent: no wrapper */
  readonly aroundTurn?: <T>(of: { readonly runId: string }, act: () => Promise<T>) => Promise<T>
}

/**
 * Why an activity has to stop, the `reason` of its signal. `cancelled` counts only if the store
 * says that the run is cancelled; `shutdown` is a graceful stop of this process; `timed_out` means
 * that nobody waits for the answer any more; an effect that has begun is not stopped for that
 * reason.
 */
export type StopReason = 'cancelled' | 'shutdown' | 'timed_out'

import type { CommandHost } from '#domain/tools/command.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import type { ToolRegistry } from '#domain/tools/tool.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import type { RunMode } from '#domain/policy/verdict.ts'
import type { Policy } from '../../policy.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'

/** The keys for finding a live grant (product.md 10). */
export interface GrantLookup {
  readonly tool: string
  /** of this call; scope `run` compares it */
  readonly digest: string
  readonly toolHash: string
  /** the one file the call writes, where scope `path` is offered for it; else `null` */
  readonly path: string | null
  /** the canonical form */
  readonly input: JsonObject
}

/**
 * A live grant: its signature was verified, it is not used up, its giver is still eligible. `text`
 * says who gave it and when.
 */
export interface LiveGrant {
  readonly id: string
  readonly text: string
}

/** The facts about a run and its host that cues need (product.md 38). */
export interface RunCueFacts {
  /** the tools that the worker has used before */
  readonly usedTools: ReadonlySet<string>
  /** whose text the model read just before, as a phrase, if it was not a person's */
  readonly outsider: string | null
  /** see `CueFacts` */
  isTracked(path: string): Promise<boolean>
}

/** One call, and everything that its verdict depends on. */
export interface PolicyQuery {
  /** the version in force at this moment */
  readonly policy: Policy
  /** name of the worker whose run makes the call */
  readonly worker: string
  readonly tool: string
  readonly input: Json
  readonly runMode: RunMode
  /** the worker's tools under this policy */
  readonly registry: ToolRegistry
  /** with the proposals of earlier calls of the turn */
  readonly workspace: Workspace
  /** absolute path of the project folder, whose own files no agent may write */
  readonly projectDir: string
  /** another call of the turn has the same model id (product.md 16) */
  readonly hasDuplicateId: boolean
  /** a person invokes the tool, not the model (product.md 5) */
  readonly byPerson: boolean
  /** paths that earlier calls of the turn write or move to, which may be missing now */
  readonly earlierWrites?: ReadonlySet<string>
  /** the host that would run a command; absent: one without a sandbox */
  readonly commandHost?: CommandHost
  /** the workers of the run and of those above it, from the root down; absent: none above */
  readonly lineage?: readonly string[]
  /** why a run of this worker could not be started here, as a sentence; absent: not checked */
  readonly refuseTarget?: (target: WorkerDefinition) => Promise<string | null>
  /**
   * whether a run of this root wrote the worker as it is now, so that it may be called without an
   * entry in a list; absent: none did
   */
  readonly isCreatedInRun?: (target: WorkerDefinition) => Promise<boolean>
  /**
   * the call would run here, in this workspace and this host's sandbox: a call that would change
   * nothing is answered at once (product.md 34), and a call that cannot succeed is an error
   */
  readonly runsHere?: boolean
  /** the facts for cues besides the call; absent: nothing is known of the run and of Git */
  readonly cueFacts?: RunCueFacts
  findGrant(call: GrantLookup): Promise<LiveGrant | null>
}

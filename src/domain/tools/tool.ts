import type { Cue } from '../policy/cues.ts'
import type { CommandInput, PrintedCommand } from './command.ts'
import type { CommitIdentity } from './commit-identity.ts'
import type { Json, JsonObject } from '../json/json.ts'
import type { CallFacts } from '../requests/request.ts'
import type { Presentation } from './presentation.ts'
import type { Approval, Risk, Scope } from '../policy/verdict.ts'
import type { Access } from './access.ts'
import type { Workspace } from './workspace.ts'
import type { ResultFile, ToolResult, OutputStream } from './tool-result.ts'

export interface ExecuteContext {
  readonly workspace: Workspace
  readonly signal: AbortSignal
  /**
   * stable for one call and attempt, and for the attempts that repeat it unasked (a tool that is
   * idempotent)
   */
  readonly idempotencyKey: string
  /** what the request recorded of the files it replaces */
  readonly facts: CallFacts
  /**
   * told of what a command writes while it runs, as it comes, up to what is kept of it; for people
   * who watch
   */
  readonly onOutput?: (stream: OutputStream, bytes: Uint8Array) => void
  /** on the commits that a command or a tool makes; absent for other tools */
  readonly commit?: CommitIdentity
  /**
   * a command that policy alone allows runs as this; `null`: what was shown runs as it is, or it is
   * no command
   */
  readonly printed: PrintedCommand | null
  /**
   * the text that the model was given of an earlier call of this run, or of the runs that it was
   * forked from; `null`: there is no such call, or it has no result. Absent: nothing can be read
   */
  readonly earlierResult?: (place: ResultPlace) => Promise<EarlierResult | null>
}

/**
 * A call by its place in the transcript, both counted from 1; call 0: the pictures that were sent
 * before the turn.
 */
export interface ResultPlace {
  readonly turn: number
  readonly call: number
}

export interface EarlierResult {
  /** `null`: it is what people sent */
  readonly tool: string | null
  readonly text: string
  readonly pictures: readonly ResultFile[]
}

export interface PresentContext {
  /** the workspace with the proposals of earlier calls of the turn laid over it */
  readonly workspace: Workspace
  readonly signal: AbortSignal
}

/**
 * What is shown, the facts that go with it, a one-line title, and every byte that will be written
 * or run.
 */
export interface CallPresentation {
  readonly title: string
  /** what it does, as a sentence; absent: its title says so */
  readonly effect?: string
  /** what deserves attention in it; absent: nothing does */
  readonly cues?: readonly Cue[]
  readonly presentation: Presentation
  readonly facts: CallFacts
  readonly content: Uint8Array
  readonly contentType: 'text/plain' | 'application/octet-stream'
  /**
   * files that the call names, kept with its request by their hash; `presentation.metadata.files`
   * lists them
   */
  readonly named?: readonly Uint8Array[]
  /**
   * the proposal, for later calls of the same turn: path to bytes, or `null` where the call removes
   * the file
   */
  readonly proposes: ReadonlyMap<string, Uint8Array | null>
}

export type ParsedInput =
  | { readonly ok: true; readonly input: JsonObject }
  | { readonly ok: false; readonly problems: readonly string[] }

/** Whose tool it is, and whether it is the one that was activated (product.md 25). */
export interface ServerTool {
  /** as the worker's file names the server */
  readonly name: string
  /** as the server names the tool */
  readonly tool: string
  /** the server's own words and hints about it: its claims */
  readonly title: string | null
  readonly annotations: JsonObject
  /**
   * why what the worker's file says of the tool does not count, as a sentence; `null`: the
   * definition is the pinned one
   */
  readonly changed: string | null
  /**
   * why nothing of the server may run, as a sentence: what it is pinned to is not what was signed;
   * `null`: it is
   */
  readonly forged: string | null
}

/**
 * A tool as policy, presentation and execution see it. Built-in tools and custom ones have the same
 * shape; a custom tool's functions run in a tool process.
 */
export interface Tool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the input, for the model */
  readonly jsonSchema: JsonObject
  readonly risk: Risk
  /** no effects: may run before a waiting sibling */
  readonly readOnly: boolean
  readonly idempotent: boolean
  /** only a person may invoke it; the model does not see it */
  readonly manual: boolean
  readonly scopes: readonly Scope[]
  /**
   * what only a person can give, whatever modes and grants there are: an answer, or an approval.
   * Absent: neither
   */
  readonly needsPerson?: 'answer' | 'approval'
  /** it runs on the host itself, because no sandbox works here; absent: it does not */
  readonly unconfined?: boolean
  /** it makes commits itself, and gets an identity for them; a command always does */
  readonly commits?: boolean
  /** `sha256:…` of name, description, schema and, for custom tools, of the source file */
  readonly definitionHash: string
  /** of a tool of an MCP server */
  readonly server?: ServerTool
  /**
   * Validates against the schema and returns the canonical form, defaults filled, paths normalised.
   * Without effect; a custom tool's schema is evaluated in its tool process, hence the promise.
   */
  parse(input: Json): ParsedInput | Promise<ParsedInput>
  /** Which paths the call touches. Pure. Empty for tools without files. */
  accesses(input: JsonObject): readonly Access[]
  /**
   * The paths that only the workspace tells, beside those of `accesses`; what is already so at them
   * is no reason to refuse. A `ToolProblem` or `WorkspaceProblem` means that the call cannot run:
   * its message is the call's error result and nobody is asked. Absent: there are none.
   */
  touches?(input: JsonObject, workspace: Workspace): Promise<readonly Access[]>
  /** What the call would have the host run. Pure. Absent for tools that run no command. */
  command?(input: JsonObject): CommandInput
  /**
   * The tool's own consent. `null`: it declares none; the zones of its accesses say, or the
   * worker's `tools` entry, and without either the call asks. Throwing means `ask` with the reason
   * shown.
   */
  approval(input: JsonObject): Promise<Approval | null>
  /**
   * What an approval of this very call rests on besides its arguments, as it is now: a remembered
   * approval of a command is compared with it (product.md 10). Absent for tools whose approvals
   * rest on nothing else.
   */
  restsOn?(input: JsonObject, workspace: Workspace): Promise<CallFacts>
  /**
   * Why this very call would change nothing, as the end of a sentence; `null`: it would, or it
   * could not run. Without effect. Absent for tools that cannot tell.
   */
  unchanged?(input: JsonObject, workspace: Workspace): Promise<string | null>
  /**
   * What an approver is shown. A `WorkspaceProblem` or `ToolProblem` means that the call cannot run
   * as it is: its message is the call's error result and nobody is asked. Any other error: show
   * `presentRaw`.
   */
  present(input: JsonObject, context: PresentContext): Promise<CallPresentation>
  /**
   * Acts once. Rejects with `WorkspaceProblem` code `stale` when a base differs and nothing was
   * done, and with any other error when it is not known what was done (its process died, timed out
   * or was cancelled: outcome unknown). Failures that the tool itself reports are results of type
   * `error`.
   */
  execute(input: JsonObject, context: ExecuteContext): Promise<ToolResult>
}

/** Own-property look-up of a name that a model controls. */
export interface ToolRegistry {
  get(name: string): Tool | undefined
  /** in the order shown to the model */
  all(): readonly Tool[]
}

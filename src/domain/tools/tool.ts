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
  /** one per attempt; the same where an idempotent tool is repeated without a person */
  readonly idempotencyKey: string
  /** the state of the files that it replaces, from its request */
  readonly facts: CallFacts
  /** gets the output of a command while it runs, up to the stored bound; for viewers */
  readonly onOutput?: (stream: OutputStream, bytes: Uint8Array) => void
  /** the place of the call in its trace, for its server (W3C Trace Context); absent: in none */
  readonly traceparent?: string
  /** for the commits of a command or a tool; absent for other tools */
  readonly commit?: CommitIdentity
  /**
   * how a command runs that policy alone permits; `null`: the presentation runs as it is, or it is
   * not a command
   */
  readonly printed: PrintedCommand | null
  /**
   * the text that the model got for an earlier call of this run, or of the runs that it was forked
   * from; `null`: there is no such call, or it has no result. Absent: nothing can be read
   */
  readonly earlierResult?: (place: ResultPlace) => Promise<EarlierResult | null>
}

/**
 * A call by its place in the transcript, both counted from 1; call 0: the files that were sent
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
  /** the workspace with the proposals of earlier calls of the turn applied */
  readonly workspace: Workspace
  readonly signal: AbortSignal
}

/** The presentation and its facts, a one-line title, and every byte that will be written or run. */
export interface CallPresentation {
  readonly title: string
  /** what it does, as a sentence; absent: its title says so */
  readonly effect?: string
  /** its cues; absent: none */
  readonly cues?: readonly Cue[]
  readonly presentation: Presentation
  readonly facts: CallFacts
  readonly content: Uint8Array
  readonly contentType: 'text/plain' | 'application/octet-stream'
  /** files that the call names, stored by hash and listed in `presentation.metadata.files` */
  readonly named?: readonly Uint8Array[]
  /**
   * the proposal, for later calls of the same turn: path to bytes, or `null` where the call removes
   * the file; absent: it changes no file, or none that is known before
   */
  readonly proposes?: ReadonlyMap<string, Uint8Array | null>
}

export type ParsedInput =
  | { readonly ok: true; readonly input: JsonObject }
  | {
      readonly ok: false
      readonly problems: readonly string[]
      /** nobody could read the input: each problem is a sentence of its own */
      readonly isUnread?: true
    }

/** The server of a tool, and whether the tool is the one that was activated (product.md 25). */
export interface ServerTool {
  /** its name in the worker file */
  readonly name: string
  /** the server's name of the tool */
  readonly tool: string
  /** the transport in OpenTelemetry's words: `pipe` is standard input, `tcp` is HTTP */
  readonly transport: 'pipe' | 'tcp'
  /** the server's own words and hints about it: its claims */
  readonly title: string | null
  readonly annotations: JsonObject
  /**
   * why the worker file's approval of the tool does not count, as a sentence; `null`: the
   * definition is the pinned one
   */
  readonly changed: string | null
  /** why nothing of the server may run: its pin is not the signed one; `null`: it may */
  readonly forged: string | null
}

/**
 * A tool as policy, presentation and execution use it. Built-in and custom tools have the same
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
   * what only a person can give, whatever the mode and the grants: an answer, or an approval.
   * Absent: neither
   */
  readonly needsPerson?: 'answer' | 'approval'
  /** it runs on the host itself, because no sandbox works here; absent: it does not */
  readonly unconfined?: boolean
  /** it makes commits itself, and gets an identity for them; a command always does */
  readonly commits?: boolean
  /** `sha256:…` of name, description, schema and, for custom tools, of the source file */
  readonly definitionHash: string
  /** for a tool of an MCP server */
  readonly server?: ServerTool
  /**
   * Validates the input against the schema and returns the canonical form, with defaults and
   * normalised paths. Without effect; a custom tool's schema is evaluated in its tool process,
   * hence the promise.
   */
  parse(input: Json): ParsedInput | Promise<ParsedInput>
  /** The paths that the call touches. Pure. Empty for tools without files. */
  accesses(input: JsonObject): readonly Access[]
  /**
   * The paths that only the workspace can determine, besides those of `accesses`. It does not
   * refuse a call because of their present state. A `ToolProblem` or `WorkspaceProblem` means that
   * the call cannot run: its message is the call's error result and nobody is asked. Absent: there
   * are none.
   */
  touches?(input: JsonObject, workspace: Workspace): Promise<readonly Access[]>
  /** The command that the host would run. Pure. Absent for tools that run no command. */
  command?(input: JsonObject): CommandInput
  /**
   * The tool's own consent. `null`: it has none; the zones of its accesses decide, or the worker's
   * `tools` entry, and without either the call asks. Throwing means `ask` with the reason shown.
   */
  approval(input: JsonObject): Promise<Approval | null>
  /**
   * The present facts that an approval of this call depends on besides its arguments: a grant of a
   * command compares them (product.md 10). Absent for tools without such facts.
   */
  restsOn?(input: JsonObject, workspace: Workspace): Promise<CallFacts>
  /**
   * Why this call would change nothing, as the end of a sentence; `null`: it would, or it could not
   * run. Without effect. Absent for tools that cannot determine it.
   */
  whyUnchanged?(input: JsonObject, workspace: Workspace): Promise<string | null>
  /**
   * The presentation for an approver. A `WorkspaceProblem` or `ToolProblem` means that the call
   * cannot run as it is: its message is the call's error result and nobody is asked. After any
   * other error, `presentRaw` is shown.
   */
  present(input: JsonObject, context: PresentContext): Promise<CallPresentation>
  /**
   * Acts once. Rejects with `WorkspaceProblem` code `stale` when a base differs and nothing was
   * done, and with any other error when its effect is unknown (its process died, timed out or was
   * cancelled). Failures that the tool itself reports are results of type `error`.
   */
  execute(input: JsonObject, context: ExecuteContext): Promise<ToolResult>
}

/** Own-property look-up of a name that a model controls. */
export interface ToolRegistry {
  get(name: string): Tool | undefined
  /** in the order for models */
  all(): readonly Tool[]
}

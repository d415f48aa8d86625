import type { Cue } from '#domain/policy/cues.ts'
import type { Judgement } from '#domain/deciding/judgement.ts'
import type { RefusedAttachment } from '#policy/judge/run-attachment.ts'
import type { ReadFile } from './attached-files.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import type { Verdict } from '#domain/policy/verdict.ts'

/** What the API asks of the host that has the workspace; the members tell which. */
export type HostQuery =
  | JudgeQuery
  | ManualToolsQuery
  | ToolsQuery
  | DefinitionsQuery
  | ReplayQuery
  | AttachmentsQuery
  | ServedToolsQuery
  | WorktreeBaseQuery
  | RemoveWorktreeQuery

/** Where the worktree of a run that starts now begins. */
export interface WorktreeBaseQuery {
  readonly worktreeBaseIn: 'workspace'
  /** name of the workspace */
  readonly workspace: string
}

/** `problem`: why no worktree can be made, as the end of a sentence. */
export type WorktreeBaseAnswer =
  | { readonly base: string; readonly baseCommit: string }
  | { readonly problem: string }

/** Has the worktree of a run removed now, when that is due; the host judges whether it is. */
export interface RemoveWorktreeQuery {
  readonly removeWorktree: 'now'
  /** a root run */
  readonly runId: string
}

/** The other query that only the host of the workspace can answer: see `manualToolsOf`. */
export interface ManualToolsQuery {
  /** name of a worker */
  readonly manualToolsOf: string
}

/** Every tool of a worker, as its model is told of it. */
export interface ToolsQuery {
  /** name of a worker */
  readonly toolsOf: string
}

/** What a server of the gateway offers to programs. */
export interface ServedToolsQuery {
  /** name of the server in countersign.yaml */
  readonly toolsServedBy: string
}

/** The tools that policy does not block, as the server describes them. */
export interface ServedTools {
  readonly tools: readonly ServedTool[]
  /** why it, or some of its tools, cannot be used, as sentences */
  readonly problems: readonly string[]
}

export interface ServedTool {
  /** the server's own name for it */
  readonly name: string
  readonly title: string | null
  readonly description: string
  readonly inputSchema: JsonObject
  readonly annotations: JsonObject
}

/** A tool of a worker; one that only people may invoke on a run too (product.md 5). */
export interface WorkerTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of its input */
  readonly inputSchema: JsonObject
}

/**
 * A hypothetical or edited call. With `runId` the run's mode, grants and earlier proposals of the
 * turn count.
 */
export interface JudgeQuery {
  readonly worker: string
  readonly tool: string
  readonly input: Json
  readonly runId?: string
  readonly callId?: string
  /** also build what would be shown, and store it in `content` */
  readonly present: boolean
  /** of an edited call of a program: what would be shown, also where policy asks nobody */
  readonly isEdit?: boolean
  /** a person invokes the tool (product.md 5); that of a call of the run is known */
  readonly byPerson?: boolean
  /**
   * a program that is no run of ours would make the call: of tools that only it knows, people are
   * asked
   */
  readonly byProgram?: boolean
  /**
   * where that program has proved to work; absent: it may be anywhere, and no file of the workspace
   * is read
   */
  readonly proven?: ProvenFolder
}

/** A folder in which a program works, by its right proof (product.md 46). */
export interface ProvenFolder {
  /** real path */
  readonly folder: string
  /** names the key of the proof: a Temporal worker with another one is on another host */
  readonly keyId: string
}

export interface RemoteJudgement {
  readonly judgement: Judgement
  /** a program's call was judged and shown with the workspace's own files; absent: none was read */
  readonly filesRead?: boolean
  readonly presented: StoredPresentation | null
}

/**
 * What the host of the workspace heard when it asked a server for its tools, for the API to pin.
 */
export interface ServerDefinitions {
  /** as the worker's file names it */
  readonly server: string
  /** hash, in `content`, of the definitions in canonical JSON; `null`: it has not answered yet */
  readonly definitionsHash: string | null
  /** why not, as a sentence */
  readonly problem: string | null
}

/** The query that goes with it; see `definitionsHere`. */
export interface DefinitionsQuery {
  /** name of a worker */
  readonly definitionsOf: string
}

/**
 * Files to be given to a run that somebody starts: only the host of the workspace can read them.
 */
export interface AttachmentsQuery {
  /** name of the worker that is started */
  readonly attachmentsFor: string
  /** name of the workspace that the run is to work in */
  readonly workspace: string
  /** canonical, relative to the workspace root */
  readonly paths: readonly string[]
  /** id of the person behind the start */
  readonly startedBy: string
}

/** The files in their order; or the first that is refused, by its place, and why. */
export type AttachmentsAnswer =
  | { readonly ok: true; readonly files: readonly ReadFile[] }
  | ({ readonly ok: false; readonly at: number } & RefusedAttachment)

/**
 * Stored calls that the host of the workspace judges again, under the version that the document
 * makes.
 */
export interface ReplayQuery {
  /** as `policyDocument` has it; the version need not be in force */
  readonly replayUnder: JsonObject
  readonly callIds: readonly string[]
}

export interface ReplayAnswer {
  /** how many of the calls, from the first on, were looked at before the time was over */
  readonly done: number
  readonly items: readonly ReplayedCall[]
  readonly notJudged: readonly UnjudgedCall[]
}

/** One call of which nobody can say now what the version would make of it. */
export interface UnjudgedCall {
  readonly callId: string
  readonly runId: string
  readonly worker: string
  readonly tool: string
  /** a sentence */
  readonly why: string
}

/** One call whose verdict, or the people it goes to, would be different. */
export interface ReplayedCall extends Omit<UnjudgedCall, 'why'> {
  /** what was recorded when the call was made; a mode's or a grant's word is in it */
  readonly recorded: Verdict
  /**
   * by the version that judged it, asked again about the files of today; `null` when that version
   * cannot be read
   */
  readonly before: ReplayedVerdict | null
  readonly after: ReplayedVerdict
}

export interface ReplayedVerdict {
  readonly verdict: Verdict
  /** the sentence of the rule that decided, or of the refusal */
  readonly reason: string
  /** where it asks, such as `platform: 1 of platform, risk medium`; `null` when it does not */
  readonly asks: string | null
}

/**
 * A presentation whose parts are stored in `content`: everything a `request_revision` row needs.
 */
export interface StoredPresentation {
  readonly title: string
  /** see `CallPresentation` */
  readonly effect?: string
  readonly cues?: readonly Cue[]
  readonly inputHash: string
  readonly facts: CallFacts
  readonly factsDigest: string
  readonly presentationHash: string
  readonly presentationDigest: string
  readonly contentHash: string
  readonly contentType: string
  /** of the bytes of files that the presentation names; absent: it names none */
  readonly fileHashes?: readonly string[]
}

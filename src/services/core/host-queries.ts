import type { PolicyReplay } from '#api/schemas/policy/replay.ts'
import type { ToolList } from '#api/schemas/tool-list.ts'
import type { RecordOf } from './record-of.ts'
import type { Cue } from '#domain/policy/cues.ts'
import type { Judgement } from '#domain/deciding/judgement.ts'
import type { RefusedAttachment } from '#policy/judge/run-attachment.ts'
import type { ReadFile } from './attached-files.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import type { McpDefinition } from '#tools/mcp/mcp-protocol.ts'
import type { CallFacts } from '#domain/requests/request.ts'

/** A query of the API to the host that has the workspace; its members name its kind. */
export type HostQuery =
  | JudgeQuery
  | ManualToolsQuery
  | ToolsQuery
  | DefinitionsQuery
  | ToolProblemsQuery
  | ReplayQuery
  | AttachmentsQuery
  | ServedToolsQuery
  | WorktreeBaseQuery
  | RemoveWorktreeQuery

/** Where the worktree of a run that starts now begins, if its workspace can be used. */
export interface WorktreeBaseQuery {
  readonly worktreeBaseIn: 'workspace'
  /** name of the workspace */
  readonly workspace: string
}

/**
 * `base: null`: runs work in the folder itself. `problem`: why the workspace cannot be used, as the
 * second half of a sentence.
 */
export type WorktreeBaseAnswer =
  | { readonly base: null }
  | { readonly base: string; readonly baseCommit: string }
  | { readonly problem: string }

/** Removes the worktree of a run if that is due; the host judges whether it is. */
export interface RemoveWorktreeQuery {
  readonly removeWorktree: 'now'
  /** a root run */
  readonly runId: string
}

/** Answers `manualToolsOf`. */
export interface ManualToolsQuery {
  /** name of a worker */
  readonly manualToolsOf: string
}

/** Every tool of a worker, as its model sees them. */
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
  /** why the server, or some of its tools, cannot be used, as sentences */
  readonly problems: readonly string[]
}

/** `name`: the name that the server gives the tool. */
export type ServedTool = Omit<McpDefinition, 'outputSchema'>

/** A tool of a worker, perhaps one that only people may invoke on a run (product.md 5). */
export type WorkerTool = RecordOf<ToolList['items'][number]>

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
  /** also build the presentation, and store it in `content` */
  readonly present: boolean
  /** an edited call of a program: build the presentation even where policy does not ask */
  readonly isEdit?: boolean
  /** id of the person who would invoke the tool in the run (product.md 5) */
  readonly invokedBy?: string
  /**
   * a program that is not a run would make the call: policy asks people about tools that only it
   * knows
   */
  readonly byProgram?: boolean
  /**
   * the folder in which that program has proved that it works; absent: it may be anywhere, and no
   * file of the workspace is read
   */
  readonly proven?: ProvenFolder
}

/** A folder in which a program works, proved with a key of the host (product.md 46). */
export interface ProvenFolder {
  /** real path */
  readonly folder: string
  /** names the key of the proof: a Temporal worker with another key is on another host */
  readonly keyId: string
}

export interface RemoteJudgement {
  readonly judgement: Judgement
  /** a program's call was judged and shown with files of the workspace; absent: no file was read */
  readonly filesRead?: boolean
  readonly presented: StoredPresentation | null
}

/** A server's tool definitions as the host of the workspace got them, for the API to pin. */
export interface ServerDefinitions {
  /** its name in the worker file */
  readonly server: string
  /** hash, in `content`, of the definitions in canonical JSON; `null`: it has not answered yet */
  readonly definitionsHash: string | null
  /** why it did not answer, as a sentence */
  readonly problem: string | null
}

/** Answers `definitionsHere`. */
export interface DefinitionsQuery {
  /** name of a worker */
  readonly definitionsOf: string
}

/** What of the tool files of the version in force does not load: a list of `ToolFileProblem`. */
export interface ToolProblemsQuery {
  readonly toolProblems: 'in force'
}

/** Files for a run that somebody starts: only the host of the workspace can read them. */
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

/** The files in their order; or the index of the first that is refused, and why. */
export type AttachmentsAnswer =
  | { readonly ok: true; readonly files: readonly ReadFile[] }
  | ({ readonly ok: false; readonly at: number } & RefusedAttachment)

/**
 * Stored calls that the host of the workspace judges again, under the version that the document
 * describes.
 */
export interface ReplayQuery {
  /** as `policyDocument` has it; the version need not be in force */
  readonly replayUnder: JsonObject
  readonly callIds: readonly string[]
}

export interface ReplayAnswer {
  /** how many of the calls, from the first on, were judged within the time */
  readonly done: number
  readonly items: readonly ReplayedCall[]
  readonly notJudged: readonly UnjudgedCall[]
}

/** A call that cannot be judged under the version now. */
export type UnjudgedCall = RecordOf<PolicyReplay['notJudged'][number]>

/** A call whose verdict or approvers would differ. */
export type ReplayedCall = RecordOf<PolicyReplay['items'][number]>
export type ReplayedVerdict = ReplayedCall['after']

/** A presentation whose parts are stored in `content`, as a `request_revision` row needs it. */
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
  /** hashes of files that the presentation names; absent: it names none */
  readonly fileHashes?: readonly string[]
}

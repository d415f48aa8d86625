import type { Run } from '#api/schemas/runs/runs.ts'
import type { RunWarning } from './away-warnings.ts'
import type { ChildRecord } from './children-of.ts'
import type { Json } from '#domain/json/json.ts'
import type { RestReason, RunState } from '#domain/requests/request.ts'
import type { RunBudget } from '#domain/runs/run-budget.ts'
import type { RunMode } from '#domain/policy/verdict.ts'
import type { RunFailure } from '#store/tables/runs.ts'
import type { RunAttachment } from '../../core/attached-files.ts'
import type { TaskRecord } from '../../requests/facts/request-record.ts'
import type { ForkedFrom, WorkspaceOfRun } from '../starting/record-run.ts'
import type { WaitsForRecord } from './waits-for.ts'
import type { LineageRecord, PersonRef } from '../../requests/facts/request-record.ts'
import type { RecordOf } from '../../core/record-of.ts'

/** A run in a list. */
export interface RunRecord {
  readonly id: string
  /** short, for people; paths and commands accept it in place of the id */
  readonly number: number
  readonly workflowId: string
  readonly worker: string
  readonly state: RunState
  readonly mode: RunMode
  /** `null`: nobody; a trigger started it */
  readonly startedBy: PersonRef | null
  /** what started it without a caller: `trigger:NAME` or `schedule:NAME` */
  readonly startedFrom: string | null
  readonly createdAt: Date
  readonly endedAt: Date | null
  readonly pendingRequests: number
  /** the first line of its task */
  readonly title: string
  /** its model is a script */
  readonly scripted: boolean
  readonly failure: RunFailure | null
  /** it rests after each answer instead of ending */
  readonly conversation: boolean
  /** why it rests, while it waits for input */
  readonly rest: RestReason | null
  /** when a resting conversation ends by itself */
  readonly restsUntil: Date | null
  /** its own limits, below its worker's */
  readonly budget: RunBudget | null
  readonly forkedFrom: ForkedFrom | null
  readonly workspace: WorkspaceOfRun
  readonly usage: RunUsage
  /** the task of the root run */
  readonly task: TaskRecord | null
  /** pending requests of the run and of those below it */
  readonly waitsFor: readonly WaitsForRecord[]
}

/** The usage of a run's model steps, including those whose answers were dropped. */
export type RunUsage = RecordOf<Run['usage']>

/** How much of a run's window is used, in tokens. */
export interface RunContext {
  /** what its model takes */
  readonly limit: number
  /** of the last model step and its answer, by the provider's count, else estimated */
  readonly used: number
}

/** Everything about a run except its transcript. */
export interface RunDetailRecord extends RunRecord {
  readonly turns: number
  readonly context: RunContext
  /** from the root down to the run itself */
  readonly lineage: readonly LineageRecord[]
  readonly children: readonly ChildRecord[]
  readonly output: string | null
  readonly policyDigest: string
  /** what may delay a run that has not ended */
  readonly warnings: readonly RunWarning[]
  readonly input: Json
  /** files of its task */
  readonly attachments: readonly RunAttachment[]
  /** as in the pinned worker file */
  readonly model: string
  readonly endReason: string | null
  /** the request of its start; `null`: it needed none */
  readonly startRequestId: string | null
  /** what the caller may do now */
  readonly allowed: {
    readonly message: boolean
    readonly cancel: boolean
    /** it rests, without open work */
    readonly close: boolean
    /** its worktree exists, and no run works in it */
    readonly discard: boolean
    /** the worker may have manual tools that the caller can invoke */
    readonly call: boolean
  }
}

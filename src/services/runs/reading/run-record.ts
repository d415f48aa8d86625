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

/** A run in a list. */
export interface RunRecord {
  readonly id: string
  /** short, for people; as good as the id in paths and commands */
  readonly number: number
  readonly workflowId: string
  readonly worker: string
  readonly state: RunState
  readonly mode: RunMode
  /** `null`: nobody, a trigger */
  readonly startedBy: PersonRef | null
  /** what started it where no caller did: `trigger:NAME` or `schedule:NAME` */
  readonly startedFrom: string | null
  readonly createdAt: Date
  readonly endedAt: Date | null
  readonly pendingRequests: number
  /** the first line of what it was asked */
  readonly title: string
  /** its model is a script */
  readonly scripted: boolean
  readonly failure: RunFailure | null
  /** it rests after each answer instead of ending */
  readonly conversation: boolean
  /** what it rests after, while it waits for input */
  readonly rest: RestReason | null
  /** when a resting conversation ends by itself */
  readonly restsUntil: Date | null
  /** its own limits, below its worker's */
  readonly budget: RunBudget | null
  readonly forkedFrom: ForkedFrom | null
  readonly workspace: WorkspaceOfRun
  readonly usage: RunUsage
  /** what the root run was asked */
  readonly task: TaskRecord | null
  /** pending requests of the run and of those below it */
  readonly waitsFor: readonly WaitsForRecord[]
}

/** What the model steps of a run used, those whose answers were dropped among them. */
export interface RunUsage {
  readonly inputTokens: number
  /** of the input, what providers read from their caches */
  readonly cachedInputTokens: number
  readonly outputTokens: number
  /** `null`: no step had a price */
  readonly costUsd: number | null
}

/** How full a run's window is, in tokens. */
export interface RunContext {
  /** what its model takes */
  readonly limit: number
  /** of the last model step and its answer, as the provider counted, else estimated */
  readonly used: number
}

/** Everything of a run but its transcript. */
export interface RunDetailRecord extends RunRecord {
  readonly turns: number
  readonly context: RunContext
  /** from the root down to the run itself */
  readonly lineage: readonly LineageRecord[]
  readonly children: readonly ChildRecord[]
  readonly output: string | null
  readonly policyDigest: string
  /** of a run that has not ended: what may keep it waiting */
  readonly warnings: readonly RunWarning[]
  readonly input: Json
  /** files that it was given with its task */
  readonly attachments: readonly RunAttachment[]
  /** as the pinned worker file names it */
  readonly model: string
  readonly endReason: string | null
  /** the request that its start waits for, or waited for; `null`: nobody was asked */
  readonly startRequestId: string | null
  /** what the caller may do now */
  readonly allowed: {
    readonly message: boolean
    readonly cancel: boolean
    /** it rests, and nothing of it is open */
    readonly close: boolean
    /** its worktree is there still, and no run works in it */
    readonly discard: boolean
    /** the worker may have manual tools that the caller can invoke */
    readonly call: boolean
  }
}

import type { Sinks } from '@temporalio/workflow'
import type {
  NextDeadline,
  CallOutcome,
  CloseOutcome,
  NextTurn,
  RunBeginning,
  SettleOutcome,
} from '#domain/runs/workflow-outcomes.ts'

/**
 * The activities that the workflows call. `src/activities` implements it. Inputs and answers carry
 * ids and never content.
 */
export interface Activities {
  beginRun(input: { readonly runId: string }): Promise<RunBeginning>
  /** Answers `later` on its own queue only: then the queue of turns takes the turn. */
  takeTurn(input: TurnPlace): Promise<NextTurn>
  /** `next`: the turn that the same activity may take once the call has its result. */
  executeCall(input: { readonly callId: string; readonly next?: TurnPlace }): Promise<CallOutcome>
  settleUnknown(input: { readonly callId: string }): Promise<SettleOutcome>
  advanceRequests(input: { readonly runId: string }): Promise<NextDeadline>
  /**
   * Expires a program's request after its deadline. Returns the deadline; `null` once the request
   * has ended.
   */
  advanceExternal(input: { readonly requestId: string }): Promise<NextDeadline>
  /** Makes an approved call of the gateway, once. The result is in the store. */
  executeGatewayCall(input: { readonly requestId: string }): Promise<void>
  /**
   * Settles a failed activity's call: one that had begun is `unknown`, and people decide; one that
   * had not is tried `again`, unless too many tries were lost with their host (`lostTries`; absent:
   * an earlier version sent it). `undefined`: an earlier version answered.
   */
  settleGatewayCall(input: {
    readonly requestId: string
    readonly lostTries?: number
  }): Promise<{ readonly again: boolean } | undefined>
  closeRun(input: { readonly runId: string }): Promise<CloseOutcome>
  /** Puts the result of a call that a person made into the transcript, once. */
  enterManualResult(input: { readonly callId: string }): Promise<void>
  /** Records, once, that a time of a schedule has come. */
  noteScheduledTime(input: { readonly schedule: string; readonly at: string }): Promise<void>
  judgeCall(input: JudgeInput): Promise<JudgeAnswer>
}

/** Short transactions on Postgres, which the queue of turns serves too. */
export type DatabaseActivities = Pick<
  Activities,
  | 'beginRun'
  | 'settleUnknown'
  | 'advanceRequests'
  | 'advanceExternal'
  | 'settleGatewayCall'
  | 'enterManualResult'
  | 'closeRun'
  | 'noteScheduledTime'
>

/** What workflows send to their own process, which leaves no trace in the history. */
export interface ExecutorSinks extends Sinks {
  readonly executor: {
    /** The activity of a call is about to be scheduled on the workflow's own queue. */
    prepareCall(callId: string): void
  }
}

export interface TurnPlace {
  readonly runId: string
  readonly turn: number
}

/** `content` hash of a question, which the API process wrote. */
export interface JudgeInput {
  readonly questionHash: string
  readonly taskQueue: string
}

/** `content` hash of the judgement and of what would be shown. */
export interface JudgeAnswer {
  readonly answerHash: string
}

/**
 * Model turns have slots of their own, so that slow models do not starve executions. It also serves
 * {@link DatabaseActivities} that executions keep from their own queue.
 */
export function turnQueueOf(taskQueue: string): string {
  return `${taskQueue}-turns`
}

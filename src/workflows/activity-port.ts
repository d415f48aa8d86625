import type {
  NextDeadline,
  CallOutcome,
  CloseOutcome,
  RunBeginning,
  SettleOutcome,
  TurnOutcome,
} from '#domain/runs/workflow-outcomes.ts'

/**
 * What the workflows ask of activities. `src/activities` satisfies it; ids travel, content never
 * does.
 */
export interface Activities {
  beginRun(input: { readonly runId: string }): Promise<RunBeginning>
  takeTurn(input: TurnPlace): Promise<TurnOutcome>
  /** `next`: the turn to take with the activity when the call has its result, where it can. */
  executeCall(input: { readonly callId: string; readonly next?: TurnPlace }): Promise<CallOutcome>
  settleUnknown(input: { readonly callId: string }): Promise<SettleOutcome>
  advanceRequests(input: { readonly runId: string }): Promise<NextDeadline>
  /** Expires a program's request whose time is over; its deadline, `null` once it has ended. */
  advanceExternal(input: { readonly requestId: string }): Promise<NextDeadline>
  /** Makes an approved call of the gateway, once; what became of it is in the store. */
  executeGatewayCall(input: { readonly requestId: string }): Promise<void>
  /** Its activity failed: a call that had begun is `unknown`, and people are asked. */
  settleGatewayCall(input: { readonly requestId: string }): Promise<void>
  closeRun(input: { readonly runId: string }): Promise<CloseOutcome>
  /** Puts the result of a person's call into the transcript, once. */
  enterManualResult(input: { readonly callId: string }): Promise<void>
  /** Notes, once, that a time of a schedule has come. */
  noteScheduledTime(input: { readonly schedule: string; readonly at: string }): Promise<void>
  judgeCall(input: JudgeInput): Promise<JudgeAnswer>
}

/** A turn of a run. */
export interface TurnPlace {
  readonly runId: string
  readonly turn: number
}

/** `content` hash of a question; the API process wrote it. */
export interface JudgeInput {
  readonly questionHash: string
  readonly taskQueue: string
}

/** `content` hash of the judgement and of what would be shown. */
export interface JudgeAnswer {
  readonly answerHash: string
}

/** Model turns have slots of their own, so that slow models do not starve executions. */
export function turnQueueOf(taskQueue: string): string {
  return `${taskQueue}-turns`
}

import type { JsonObject } from '../../../domain/json.ts'
import type { Verdict } from '../../../domain/verdict.ts'

/** Stored calls that the host of the workspace judges again, under the version that the document makes. */
export interface ReplayQuestion {
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
export interface ReplayedCall {
  readonly callId: string
  readonly runId: string
  readonly worker: string
  readonly tool: string
  /** what was recorded when the call was made; a mode's or a grant's word is in it */
  readonly recorded: Verdict
  /** by the version that judged it, asked again about the files of today; `null` when that version cannot be read */
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

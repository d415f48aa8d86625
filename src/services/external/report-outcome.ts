import { Problem } from '#domain/problem.ts'
import type { ExternalOutcome } from '#domain/requests/request.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { getSaltedText, putSaltedText } from '../requests/words/salted-text.ts'
import { findRequestFor } from '../requests/people/find-request.ts'
import { inUnitOfWork, type JudgingContext } from '../core/unit-of-work.ts'
import { refuseServiceCall } from '../requests/facts/gateway-call.ts'
import { lockOwn } from './own-external.ts'
import { recordOutcome } from './record-execution.ts'

export interface OutcomeInput {
  /** id or number */
  readonly request: string
  readonly state: ExternalOutcome
  /** the program's own words */
  readonly summary: string | null
}

/**
 * Records the program's report on the call for which it consumed a permit: once, from a key of the
 * same owner. A report of `unknown` can be followed by what the program found out later, except for
 * the call of a hook (architecture.md, states). A repeated report gets the same answer. Rejects
 * with `conflict` when no permit was consumed or an earlier report differs, `forbidden`, or
 * `not_found`.
 */
export async function reportOutcome(
  ctx: ServiceContext,
  caller: Caller,
  input: OutcomeInput,
): Promise<{ requestId: string; state: ExternalOutcome }> {
  const target = await findRequestFor(ctx, caller, input.request)
  const judge = (judging: JudgingContext) => lockOwn(judging, caller, target.id)
  return inUnitOfWork(ctx, judge, async (unit, { request, external }) => {
    const { tx } = unit
    await refuseServiceCall(tx, request.id)
    if (external.consumed_at === null) {
      throw new Problem('conflict', 'No permit was taken, so the call cannot have run')
    }
    const answer = { requestId: request.id, state: input.state }
    if (external.outcome !== null) {
      const summary = await getSaltedText(tx, external.outcome_summary_hash)
      if (external.outcome === input.state && summary === input.summary) return answer
      // That a hooked call ran otherwise than approved is the finding of the service. Its words can
      // be erased, so no unknown outcome of a hooked call is open.
      const isOpen = external.outcome === 'unknown' && external.hook_call === null
      if (!isOpen || input.state === 'unknown') {
        throw new Problem('conflict', `The outcome was reported before, as ${external.outcome}`, {
          state: external.outcome,
        })
      }
    }
    const summaryHash = input.summary === null ? null : await putSaltedText(tx, input.summary)
    const { state } = input
    const detail = { state, summary: summaryHash }
    await recordOutcome(unit, request, { by: 'program', state, summaryHash, detail })
    return answer
  })
}

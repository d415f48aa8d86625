import type { ServiceContext } from '../core/context.ts'
import { recordRefusal } from './record-refusal.ts'

/** A message between API and Temporal workers that no process of this installation wrote. */
export type ForgedMessage = 'question' | 'answer'

const attempts = {
  question: { name: 'executor', attempt: 'askHost' },
  answer: { name: 'api', attempt: 'answerHost' },
} as const

/**
 * Records that somebody with access to Temporal sent a host a question that the API did not ask, or
 * sent the API an answer that the host did not give (security.md 33). It never rejects: the refusal
 * stands either way.
 */
export async function recordForgedMessage(
  ctx: ServiceContext,
  message: ForgedMessage,
): Promise<void> {
  const { name, attempt } = attempts[message]
  try {
    await recordRefusal(ctx, {
      type: 'attempt.refused',
      actor: { type: 'system', name },
      channel: 'workflow',
      detail: { attempt, code: 'not_sealed' },
    })
  } catch (error) {
    ctx.log.error({ err: error, attempt }, 'The refusal could not be recorded')
  }
}

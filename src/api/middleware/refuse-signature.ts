import type { Request } from 'express'
import { Problem } from '#domain/problem.ts'
import { recordRefusal } from '#services/refusals/record-refusal.ts'
import type { Api } from '../context/api.ts'
import type { FailureLimit } from './failure-limit.ts'

/** What a message with a wrong signature tried, for the trail, and the sentence of the answer. */
interface SignatureRefusal {
  /** name of the part of the system that judged it */
  readonly system: string
  /** name of the operation */
  readonly attempt: string
  readonly sentence: string
}

/**
 * Counts a wrong signature of an address, records it, and throws `unauthenticated`; `rate_limited`
 * when there were too many.
 */
export async function refuseSignature(
  api: Api,
  failures: FailureLimit,
  request: Request,
  { system, attempt, sentence }: SignatureRefusal,
): Promise<never> {
  await failures.fail(request)
  await recordRefusal(api.ctx, {
    type: 'attempt.refused',
    actor: { type: 'system', name: system },
    channel: 'api',
    detail: { attempt, code: 'unauthenticated' },
  })
  throw new Problem('unauthenticated', sentence)
}

import type { JsonObject } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { existingRequest, findRequestFor, type RequestLocation } from './find-request.ts'
import { markRecorded, recordRefusal } from '../../refusals/record-refusal.ts'

/** Facts of a refusal that go into the trail; others may quote what people wrote. */
const auditedFacts = ['which', 'state', 'field', 'digest', 'revision', 'cancelReason']

/** What was tried, for the trail. */
type AttemptDetail = JsonObject & { readonly attempt: string }

/** Finds a request, by id or number, and runs an attempt on it, as {@link recordingAttempt}. */
export async function attemptOnRequest<T>(
  ctx: ServiceContext,
  caller: Caller,
  reference: string,
  detail: AttemptDetail,
  attempt: (location: RequestLocation) => Promise<T | Problem>,
): Promise<T> {
  return recordingAttempt(ctx, caller, reference, detail, async () =>
    attempt(await findRequestFor(ctx, caller, reference)),
  )
}

/**
 * Runs an attempt on a request and records its refusal: `decision.refused` with the code, also for
 * somebody who may not see the request and gets `not_found`. Rejects with the same problem.
 */
export async function recordingAttempt<T>(
  ctx: ServiceContext,
  caller: Caller,
  reference: string,
  detail: AttemptDetail,
  attempt: () => Promise<T | Problem>,
): Promise<T> {
  const answer = await problemOr(attempt)
  if (!(answer instanceof Problem)) return answer
  const request = await existingRequest(ctx.db, reference)
  if (request !== null) {
    await recordRefusal(ctx, {
      type: 'decision.refused',
      actor: caller.actor,
      channel: caller.channel,
      requestId: request.id,
      ...(request.runId === null ? {} : { runId: request.runId }),
      ...(request.callId === null ? {} : { callId: request.callId }),
      digest: request.digest,
      policyDigest: request.policyDigest,
      detail: { ...detail, code: answer.code, ...auditFacts(answer.facts) },
    })
    markRecorded(answer)
  }
  throw answer
}

async function problemOr<T>(attempt: () => Promise<T | Problem>): Promise<T | Problem> {
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

function auditFacts(facts: JsonObject): JsonObject {
  return Object.fromEntries(
    auditedFacts.flatMap((name) => {
      const value = facts[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

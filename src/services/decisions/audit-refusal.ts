import type { JsonObject } from '../../domain/json.ts'
import { Problem } from '../../domain/problem.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { lockRequests } from '../locks.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { aboutRequest } from './ending/end-request.ts'

/** Facts of a refusal that go into the trail; the others may quote what people wrote. */
const auditedFacts = ['which', 'state', 'field', 'digest', 'revision', 'cancelReason']

/**
 * Runs an attempt on a request and records it when it is refused, in a transaction of its own (the attempt's is gone by
 * then): `decision.refused` with the code. Rejects with the same problem. `attempt` says what was tried.
 */
export async function auditingRefusals<T extends object>(
  ctx: ServiceContext,
  caller: Caller,
  requestId: string,
  attempted: JsonObject,
  attempt: () => Promise<T | Problem>,
): Promise<T> {
  const refusal = await attempt().then(
    (answer) => (answer instanceof Problem ? answer : { answer }),
    (error: unknown) => {
      if (error instanceof Problem) return error
      throw error
    },
  )
  if (!(refusal instanceof Problem)) return refusal.answer
  await inUnitOfWork(ctx, async (unit) => {
    const [request] = await lockRequests(unit.tx, [requestId])
    if (request === undefined) return
    await unit.audit({
      type: 'decision.refused',
      actor: caller.actor,
      channel: caller.channel,
      ...aboutRequest(request),
      digest: request.digest,
      policyDigest: request.policy_digest,
      detail: { ...attempted, code: refusal.code, ...audited(refusal.facts) },
    })
  })
  throw refusal
}

function audited(facts: JsonObject): JsonObject {
  return Object.fromEntries(
    auditedFacts.flatMap((name) => {
      const value = facts[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

import { sql, type Selectable } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { Tx } from '#store/database.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import { getSaltedText } from '../words/salted-text.ts'
import type { Caller } from '../../core/context.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { readDecisionFacts, type DecisionFacts } from '../facts/decision-facts.ts'
import { expireLocked } from './expire-locked.ts'

/**
 * The refusal of a request that has ended, with its outcome; `null` while it is pending (api.md:
 * 410 `expired` and `cancelled` with `cancelReason`, 409 `already_decided` with the winner's name).
 * The caller holds its lock.
 */
export async function refuseEnded(
  tx: Tx,
  request: Selectable<RequestTable>,
): Promise<Problem | null> {
  switch (request.state) {
    case 'pending':
      return null
    case 'expired':
      return expiredProblem(request)
    case 'cancelled':
      return new Problem('cancelled', 'This request has left the queue: it was cancelled', {
        cancelReason: request.cancel_reason,
      })
    case 'approved':
    case 'denied':
      return alreadyDecided(tx, request)
  }
}

/** The refusal of a request whose time is over. */
export function expiredProblem(request: Selectable<RequestTable>): Problem {
  return new Problem('expired', 'Nobody decided in time: this request has expired', {
    expiresAt: request.expires_at.toISOString(),
    cancelReason: 'expired',
  })
}

/**
 * Expires a locked pending request whose time is over by this clock, and returns its refusal, which
 * the caller returns after the commit; `null`: there is time left.
 */
export async function expireIfOver(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  now: Date,
): Promise<Problem | null> {
  if (now < request.expires_at) return null
  await expireLocked(unit, request)
  return expiredProblem(request)
}

async function alreadyDecided(tx: Tx, request: Selectable<RequestTable>): Promise<Problem> {
  const winner = await tx
    .selectFrom('decision')
    .innerJoin('person', 'person.id', 'decision.person_id')
    .select(['person.id', 'person.name', 'decision.reason_hash'])
    .where('request_id', '=', request.id)
    .where('revision', '=', request.revision)
    .orderBy(sql`decision.at desc, decision.id desc`)
    .executeTakeFirst()
  const name = winner?.name ?? 'somebody'
  const verb = verbOf(request)
  return new Problem('already_decided', `${name} already ${verb} this request`, {
    state: request.state,
    decidedBy: name,
    decidedById: winner?.id ?? null,
    decidedAt: request.decided_at?.toISOString() ?? null,
    reason: await getSaltedText(tx, winner?.reason_hash ?? null),
  })
}

function verbOf({ kind, state }: Selectable<RequestTable>): string {
  if (kind === 'question') return 'answered'
  return kind === 'outcome_check' ? 'settled' : state
}

/**
 * The facts for an answer to a locked request while it is open. When it has ended, or its time is
 * over (it expires then), the problem to return after the commit.
 */
export async function factsWhileOpen(
  unit: UnitOfWork,
  caller: Caller,
  request: Selectable<RequestTable>,
): Promise<DecisionFacts | Problem> {
  const refusal = await refuseEnded(unit.tx, request)
  if (refusal !== null) return refusal
  const personId = caller.actor.type === 'person' ? caller.actor.id : null
  const decider = { personId, sessionHash: null, decides: true } as const
  const facts = await readDecisionFacts(unit, request.id, decider)
  return (await expireIfOver(unit, request, facts.now)) ?? facts
}

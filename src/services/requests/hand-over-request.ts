import { sql } from 'kysely'
import { isSameHuman } from '#domain/deciding/eligibility.ts'
import { quorumTeams } from '#domain/deciding/quorum.ts'
import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { inUnitOfWork, type UnitOfWork } from '../core/unit-of-work.ts'
import { aboutRequest } from './ending/end-request.ts'
import { refuseEnded } from './ending/refuse-ended.ts'
import { invalid } from '../core/problems/invalid.ts'
import type { HandoverRecord, PersonRef } from './facts/request-record.ts'
import { findRequest } from './people/find-request.ts'
import { lockForQueuePerson, type requireQueuePerson } from './people/queue-person.ts'
import { viewerOf } from './people/viewer.ts'
import {
  personRows,
  verifyPerson,
  type PersonRows,
  type VerifiedPerson,
} from '../core/verified-person.ts'

/**
 * Asks a colleague to look at a pending request, which changes nobody's rights. The caller is one
 * of the queue's people; the colleague, named by address or id, must be able to decide it, or it
 * rejects with `not_eligible` and status 422, and must be somebody else, or it rejects with
 * `invalid_request`. A later call replaces the colleague. The colleague is notified, once.
 */
export async function handOverRequest(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string; readonly to: string },
): Promise<{ readonly requestId: string; readonly handedTo: HandoverRecord }> {
  const location = await findRequest(ctx.db, await viewerOf(ctx, caller), input.request)
  const judge = lockForQueuePerson(caller, location.id)
  return inUnitOfWork(ctx, judge, async (unit, { request, authority }) => {
    const refusal = await refuseEnded(unit.tx, request)
    if (refusal !== null) throw refusal
    const decider = await requireDecider(unit, request, input.to)
    if (isSameHuman(decider, authority.actor.id)) {
      throw invalid('to', 'must be somebody else than you')
    }
    const to: PersonRef = { id: decider.id, name: decider.name }
    const handover = { to_id: to.id, by_id: authority.actor.id, at: sql<Date>`clock_timestamp()` }
    const before = await unit.tx
      .selectFrom('request_handover')
      .select('to_id')
      .where('request_id', '=', request.id)
      .executeTakeFirst()
    const { at } = await unit.tx
      .insertInto('request_handover')
      .values({ request_id: request.id, ...handover })
      .onConflict((conflict) =>
        conflict.column('request_id').doUpdateSet({
          ...handover,
          // Its notification is about this time.
          at: sql`case when request_handover.to_id = excluded.to_id
            then request_handover.at else excluded.at end`,
        }),
      )
      .returning('at')
      .executeTakeFirstOrThrow()
    await unit.audit({
      type: 'request.handed_over',
      ...aboutRequest(request),
      detail: { to: to.id },
    })
    const subject = { requestId: request.id, runId: request.run_id }
    await unit.event('request.changed', subject)
    // Whoever has it already was notified of it.
    if (before?.to_id !== to.id) await unit.event('request.handed_over', subject)
    const by = { id: authority.actor.id, name: authority.actor.name }
    return { requestId: request.id, handedTo: { person: to, by, at } }
  })
}

/** The person of an address or id, if they may decide the request now. */
async function requireDecider(
  { tx, seals }: UnitOfWork,
  request: Parameters<typeof requireQueuePerson>[2] & { readonly id: string },
  reference: string,
): Promise<VerifiedPerson> {
  const { rows } = await sql<{ found: PersonRows; behind: boolean }>`
    select ${personRows} as found, exists (select 1 from request_principal q
      where q.request_id = ${request.id} and q.person_id = any(person.other_ids || person.id)) as behind
    from person where id::text = ${reference.toLowerCase()} or email = ${reference.toLowerCase()}
  `.execute(tx)
  const [row] = rows
  const person = row === undefined ? null : verifyPerson(seals, row.found)
  const teams = quorumTeams(request.routing.quorum)
  const isOfQuorum = person?.teams.some((team) => teams.includes(team)) ?? false
  const isBehind = row?.behind === true && !request.routing.selfApproval
  if (person === null || !person.enabled || !isOfQuorum || isBehind) {
    const sentence =
      'Hand it over to a person who may decide it: a member of its team who is not behind it'
    throw new Problem('not_eligible', sentence, { field: 'to' }, { status: 422 })
  }
  return person
}

import { sql } from 'kysely'
import { isSameHuman } from '#domain/deciding/eligibility.ts'
import { quorumTeams } from '#domain/deciding/quorum.ts'
import { Problem } from '#domain/problem.ts'
import { eventDocument } from '#store/audit/event-document.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { inUnitOfWork, type UnitOfWork } from '../core/unit-of-work.ts'
import { aboutRequest } from './ending/end-request.ts'
import { refuseEnded } from './ending/refuse-ended.ts'
import { invalid } from '../core/problems/invalid.ts'
import type { HandoverRecord, PersonRef } from './facts/request-record.ts'
import { isAway } from './people/away.ts'
import { findRequest } from './people/find-request.ts'
import { lockForQueuePerson, type requireQueuePerson } from './people/queue-person.ts'
import { viewerOf } from './people/viewer.ts'
import {
  personRows,
  verifyPerson,
  type PersonRows,
  type VerifiedPerson,
} from '../core/verified-person.ts'

/** The minutes in which a colleague is notified of a request once. */
const betweenMinutes = 60

/**
 * Asks a colleague to look at a pending request, which changes nobody's rights. The caller is one
 * of the queue's people; the colleague, named by address or id, must be able to decide it, or it
 * rejects with `not_eligible` and status 422, and must be somebody else, or it rejects with
 * `invalid_request`. A later call replaces the colleague. The colleague is notified, once an
 * hour, unless they are away.
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
    const { at } = await unit.tx
      .insertInto('request_handover')
      .values({ request_id: request.id, ...handover })
      .onConflict((conflict) => conflict.column('request_id').doUpdateSet(handover))
      .returning('at')
      .executeTakeFirstOrThrow()
    const notified = await mayNotify(unit, request.id, to.id)
    await unit.audit({
      type: 'request.handed_over',
      ...aboutRequest(request),
      detail: { to: to.id, notified },
    })
    const subject = { requestId: request.id, runId: request.run_id }
    await unit.event('request.changed', subject)
    if (notified) await unit.event('request.handed_over', { ...subject, to: to.id })
    const by = { id: authority.actor.id, name: authority.actor.name }
    return { requestId: request.id, handedTo: { person: to, by, at } }
  })
}

/**
 * Whether a colleague is not away, and no hand-over of the last hour notified them, by the trail of
 * the request. An event dated in the future was written by a wrong clock, and is not counted.
 */
async function mayNotify({ tx }: UnitOfWork, requestId: string, to: string): Promise<boolean> {
  const { rows } = await sql<{ mayNotify: boolean }>`
    select not ${isAway('person')} and not exists (select from audit_event
      where request_id = ${requestId} and type = 'request.handed_over'
        and at > clock_timestamp() - ${betweenMinutes} * interval '1 minute'
        and at <= clock_timestamp()
        and ${eventDocument}->'detail' @> ${JSON.stringify({ to, notified: true })}::jsonb) as "mayNotify"
    from person where id = ${to}
  `.execute(tx)
  return rows[0]?.mayNotify === true
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
    for share of person
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

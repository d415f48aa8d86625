import { sql } from 'kysely'
import type { Quorum } from '#domain/requests/request.ts'
import type { Db } from '#store/database.ts'
import { brokenInvariants, type BrokenInvariant } from '../fixtures/broken-invariants.ts'
import type { TeamLife } from './team-life.ts'

/** All states that must not exist after any step, not even for a moment. */
export async function brokenInLife(life: TeamLife): Promise<BrokenInvariant[]> {
  return [
    ...(await brokenInvariants(life.db)),
    ...(await brokenAtOnce(life)),
    ...(await stepsLost(life)),
    ...(await quorumsNotMet(life)),
  ]
}

/** Those of them that are found in milliseconds, without reading the trail. */
export async function brokenAtOnce({
  db,
  acknowledged,
  temporal,
}: TeamLife): Promise<BrokenInvariant[]> {
  const { rows } = await sql<BrokenInvariant>`
    select 'a recorded decision is gone' as what, told::text as id from unnest(${[...acknowledged]}::uuid[]) as told
      where not exists (select from decision where id = told)
    union all select 'expired before its time', id::text from request where state = 'expired' and decided_at < expires_at
    union all select 'decided when its time was over', request_id::text from decision
      join request on request.id = request_id where at >= expires_at
    union all select 'a call that asks has no request', tool_call.id::text from tool_call
      where verdict = 'ask' and request_id is null and result_type is null
    union all select 'a run waits for nobody', run.id::text from run
      where state = 'waiting_for_approval' and not exists (
        select from request where request.run_id = run.id and request.state = 'pending')
    union all select 'what was due did not happen', id::text from request
      where ${!temporal.isDown} and state = 'pending' and run_id is not null
        and least(next_step_at, expires_at) < fake_time.clock_timestamp() - interval '1 minute'
    union all select 'an ended run left a request behind', request.id::text from request join run on run.id = run_id
      where run.ended_at is not null and request.state = 'pending'
    union all select 'an end without its time', id::text from request where (decided_at is null) <> (state = 'pending')
    union all select 'a permit spent twice', permit_id::text from execution
      where permit_id is not null group by permit_id having count(*) > 1
    union all select 'two live permits of a call', call_id::text from permit
      where state = 'live' and call_id is not null group by call_id having count(*) > 1
    union all select 'a run that counts its requests wrong', run.id::text from run
      where pending_requests <> (
        select count(*) from request where request.run_id = run.id and request.state = 'pending')
    union all select 'a rest that is over did not end', id::text from run
      where ${!temporal.isDown} and ended_at is null
        and rests_until < fake_time.clock_timestamp() - interval '1 minute'
    union all select 'approved by somebody behind the run that was forked', decision.request_id::text from decision
      join request on request.id = decision.request_id
      join run_principal on run_principal.run_id = request.run_id and run_principal.person_id = decision.person_id
      where decision.decision = 'approve' and request.queue <> 'docs'
    union all select 'a fork without those behind the run before', run.id::text from run
      join run as old on old.id = run.forked_from
      where not exists (select from run_principal where run_id = run.id and person_id = old.started_by)
    union all select 'a scheduled time that started another number of runs than one', schedule from schedule_time
      where outcome = 'started' group by schedule having count(*) <> (
        select count(*) from run where started_from = 'schedule:' || schedule)
  `.execute(db)
  return rows
}

async function stepsLost({ db }: TeamLife): Promise<BrokenInvariant[]> {
  const { rows } = await sql<BrokenInvariant>`
    select 'a step neither taken nor told as missed' as what, request.id::text as id from request
      join audit_event on audit_event.request_id = request.id and audit_event.type = 'request.expired'
      where coalesce(cardinality(steps_taken), 0)
        + jsonb_array_length(coalesce(document::jsonb -> 'detail' -> 'missed', '[]')) <> (
          select count(*) from jsonb_array_elements(coalesce(routing -> 'steps', '[]')) as step
          where created_at + (step ->> 'afterMs')::float8 * interval '1 millisecond' <= expires_at)
  `.execute(db)
  return rows
}

/**
 * Permits whose deciders, by the teams that the test itself remembers, could not have filled the
 * quorum's places.
 */
async function quorumsNotMet({ db, team, people }: TeamLife): Promise<BrokenInvariant[]> {
  const names = new Map(people.map(({ id, name }) => [id, name]))
  const permits = await permitsOf(db)
  return permits.flatMap(({ id, quorum, deciders, issued_at }) => {
    const who = deciders.map((one) => names.get(one) ?? one)
    return team.couldMeet(quorum, who, issued_at)
      ? []
      : [{ what: `a quorum not met by ${who.join(' and ')}`, id }]
  })
}

interface GivenPermit {
  readonly id: string
  readonly quorum: Quorum
  readonly deciders: readonly string[]
  readonly issued_at: Date
}

async function permitsOf(db: Db): Promise<readonly GivenPermit[]> {
  const { rows } = await sql<GivenPermit>`
    select permit.request_id as id, routing -> 'quorum' as quorum, issued_at,
      statement::jsonb -> 'deciders' as deciders
    from permit join request on request.id = permit.request_id where request.kind = 'tool_call'
  `.execute(db)
  return rows
}

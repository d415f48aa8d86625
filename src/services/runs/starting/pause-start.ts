import { sql, type RawBuilder } from 'kysely'
import { Problem } from '#domain/problem.ts'
import { eventDocument } from '#store/audit/event-document.ts'
import type { Db, Tx } from '#store/database.ts'
import { byOwnerOrNull, byRightOrNull, type Authority } from '../../core/authority.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { rightsOf } from '../../core/rights-of.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { personOfEmail } from './person-of-email.ts'
import type { PersonRef } from '../../requests/facts/request-record.ts'

/**
 * The authority over a schedule or a trigger of the person whom `as` names, or of a holder of
 * `manageRuns`. Rejects with `forbidden`.
 */
export async function byManagerOfStarts(
  ctx: ServiceContext,
  caller: Caller,
  as: string | null,
): Promise<Authority> {
  const refusal = notManagerOfStarts()
  if (caller.actor.type !== 'person') throw refusal
  const owner = as === null ? null : byOwnerOrNull(caller, [await personOfEmail(ctx, as)])
  const authority = owner ?? (await byRightOrNull(ctx, caller, 'manageRuns'))
  if (authority !== null) return authority
  throw refusal
}

export function notManagerOfStarts(): Problem {
  return new Problem(
    'forbidden',
    'Only the person whose runs it starts, and people with the right manageRuns, may do this',
  )
}

/** Whether a caller may manage the schedule or trigger that starts runs as a person. */
export async function managesStarts(
  ctx: ServiceContext,
  { actor }: Caller,
): Promise<(as: PersonRef | null) => boolean> {
  if (actor.type !== 'person') return () => false
  const manages = (await rightsOf(ctx, actor.id)).has('manageRuns')
  return (as) => manages || as?.id === actor.id
}

/** What can be paused. */
export type StartKind = 'schedule' | 'trigger'

/** The names of the schedules, or of the triggers, that are paused. */
export async function pausedNames(db: Db | Tx, kind: StartKind): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`${namesOfPaused(kind)}`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

/**
 * A query for the names of paused triggers or schedules: by a row, or by the trail, whose events
 * the application's role cannot change. A row that somebody deletes by SQL therefore ends no pause
 * (security.md 29).
 */
export function namesOfPaused(kind: StartKind): RawBuilder<unknown> {
  return sql`
    select ${sql.ref(kind)} as name from ${sql.table(`${kind}_pause`)}
    union ${pausedByTrail(kind)}
  `
}

/**
 * The names that the trail says are paused. Pauses and resumes are counted, since they alternate;
 * their times depend on a clock that may be set back. An event that SQL added may have any text;
 * one without a name is not counted.
 */
function pausedByTrail(kind: StartKind): RawBuilder<{ readonly name: string }> {
  const { paused, resumed } = pauseEvents(kind)
  return sql`
    select named.name from audit_event
      cross join lateral (select ${eventDocument} -> 'detail' ->> ${kind} as name) as named
      where type in (${paused}, ${resumed}) and named.name is not null group by 1
      having count(*) filter (where type = ${paused}) > count(*) filter (where type = ${resumed})
  `
}

function pauseEvents(kind: StartKind) {
  return { paused: `${kind}.paused`, resumed: `${kind}.resumed` } as const
}

/** Pauses a schedule or a trigger, or resumes it; repeating it changes and records nothing. */
export async function changePause(
  ctx: ServiceContext,
  authority: Authority,
  change: {
    readonly kind: StartKind
    readonly name: string
    readonly paused: boolean
  },
): Promise<void> {
  const { kind, name, paused } = change
  const { actor } = authority
  if (actor.type !== 'person') return
  const [table, column] = [sql.table(`${kind}_pause`), sql.ref(kind)]
  const statement = paused
    ? sql`insert into ${table} (${column}, by_id) values (${name}, ${actor.id}) on conflict do nothing`
    : sql`delete from ${table} where ${column} = ${name}`
  await inUnitOfWork(ctx, authority, async (unit) => {
    // One after the other: pauses and resumes alternate in the trail.
    const lock = `pause ${kind} ${name}`
    await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(unit.tx)
    // A row that SQL wrote is no event: only what changes the trail's own state is recorded.
    const { rows } = await pausedByTrail(kind).execute(unit.tx)
    await statement.execute(unit.tx)
    if (rows.some((one) => one.name === name) === paused) return
    const type = pauseEvents(kind)[paused ? 'paused' : 'resumed']
    await unit.audit({ type, detail: { [kind]: name } })
  })
}

import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { Db, Tx } from '#store/database.ts'
import { byOwner, byRightOrNull, type Authority } from '../../core/authority.ts'
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
  const refusal = new Problem(
    'forbidden',
    'Only the person whose runs it starts, and people with the right manageRuns, may do this',
  )
  if (caller.actor.type !== 'person') throw refusal
  const manager = await byRightOrNull(ctx, caller, 'manageRuns')
  if (manager !== null) return manager
  if (as === null) throw refusal
  return byOwner(caller, [await personOfEmail(ctx, as)], refusal)
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
type StartKind = 'schedule' | 'trigger'

/** The names of the schedules, or of the triggers, that are paused. */
export async function pausedNames(db: Db | Tx, kind: StartKind): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select ${sql.ref(kind)} as name from ${sql.table(`${kind}_pause`)}
  `.execute(db)
  return new Set(rows.map(({ name }) => name))
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
    const { numAffectedRows } = await statement.execute(unit.tx)
    if (numAffectedRows !== 1n) return
    const type = paused ? (`${kind}.paused` as const) : (`${kind}.resumed` as const)
    await unit.audit({ type, detail: { [kind]: name } })
  })
}

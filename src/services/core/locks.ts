import { sql, type RawBuilder, type Selectable } from 'kysely'
import { Problem } from '#domain/problem.ts'
import { advisoryLocks } from '#store/connection/advisory-locks.ts'
import { isOneOf } from '#store/connection/is-one-of.ts'
import { onePlan } from '#store/connection/one-plan.ts'
import { together } from '#store/connection/side-by-side.ts'
import type { Tx } from '#store/database.ts'
import type { PersonTable } from '#store/tables/people.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { RunTable } from '#store/tables/runs.ts'
import type { Caller } from './context.ts'
import { personRows, type PersonRows } from './verified-person.ts'

/**
 * Locks a run's lineage from the root down, the one order in which every verb locks
 * (architecture.md), and returns the run itself. Rejects with `not_found`.
 */
export async function lockRun(tx: Tx, runId: string): Promise<Selectable<RunTable>> {
  const run = (await lockLineage(tx, sql<string>`${runId}::uuid`)).find((row) => row.id === runId)
  if (run === undefined) throw new Problem('not_found', `There is no run ${runId}`)
  return run
}

/**
 * The same as `lockRun`, as the first statement of a transaction, whose statements then have one
 * plan each ({@link onePlan}). `undefined`: there is no such run. Rejects with `not_found` if only
 * its lineage is lost.
 */
export async function lockRunFirst(
  tx: Tx,
  runId: string,
): Promise<Selectable<RunTable> | undefined> {
  const lineage = lineageToLock('run.*', sql<string>`${runId}::uuid`)
  const { rows } = await sql<Selectable<RunTable>>`${onePlan}${lineage}`.execute(tx)
  const run = rows.find(({ id }) => id === runId)
  if (run !== undefined) return run
  const row = await tx.selectFrom('run').select('id').where('id', '=', runId).executeTakeFirst()
  if (row !== undefined) throw new Problem('not_found', `The run ${runId} has lost its lineage`)
  return undefined
}

/** Locks the lineage of an expression's run, root first; without a run, nothing. */
export async function lockLineage(
  tx: Tx,
  runId: RawBuilder<string>,
): Promise<Selectable<RunTable>[]> {
  const { rows } = await sql<Selectable<RunTable>>`${lineageToLock('run.*', runId)}`.execute(tx)
  return rows
}

/** The query that locks the lineage of an expression's run, root first. */
function lineageToLock(
  columns: 'run.*' | 'run.id',
  runId: RawBuilder<string>,
): RawBuilder<unknown> {
  return sql`
    select ${sql.raw(columns)} from run join run_lineage on run_lineage.ancestor_id = run.id
    where run_lineage.run_id = ${runId} order by run_lineage.depth for update of run
  `
}

/**
 * Waits for an activation or the retirement of a signing key, and keeps others from beginning until
 * the commit. Call it before the unit locks any row. Later statements read the memberships of the
 * version in force, and no activation, sign-in or removal of an account ends one of them before the
 * commit. What is signed afterwards has a valid key: the retirement signs what it finds again, and
 * does not see what is not committed.
 */
export async function lockActivationShared(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${advisoryLocks.activation})`.execute(tx)
}

/**
 * The same, for a transaction that begins with it: each of its statements has one plan
 * ({@link onePlan}).
 */
export async function lockActivationSharedFirst(tx: Tx): Promise<void> {
  await sql`${onePlan}select pg_advisory_xact_lock_shared(${advisoryLocks.activation})`.execute(tx)
}

/** Waits for everybody who holds that lock, shared or not, and keeps it alone until the commit. */
export async function lockActivationAlone(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${advisoryLocks.activation})`.execute(tx)
}

export type LockedPerson = Selectable<
  Pick<PersonTable, 'id' | 'email' | 'disabled_at' | 'other_ids' | 'seal'>
>

/**
 * Locks what gives people their rights until the commit, in the order in which an activation takes
 * its locks: the policy version in force, which is read after this, and the rows of the people.
 * Others can lock the same. Returns the rows, as they are when the locks are held.
 */
export async function lockRights(tx: Tx, personIds: readonly string[]): Promise<LockedPerson[]> {
  const { rows } = await sql<LockedPerson>`
    with activation as materialized (
      select pg_advisory_xact_lock_shared(${advisoryLocks.activation})
    )
    select id, email, disabled_at, other_ids, seal from person
    where id = any(${personIds}::uuid[]) and (select count(*) from activation) > 0
    order by id for share
  `.execute(tx)
  return rows
}

/**
 * Locks a person's row until the commit, so that they cannot be disabled; others can lock the same.
 * Returns the row, if there is one, with the memberships.
 */
export async function lockPersonShared(tx: Tx, personId: string): Promise<PersonRows | undefined> {
  const row = await tx
    .selectFrom('person')
    .select(personRows.as('rows'))
    .where('id', '=', personId)
    .forShare()
    .executeTakeFirst()
  return row?.rows
}

/**
 * The same for a person who acts, before the unit locks rows that are theirs: whoever disables them
 * locks in this order too.
 */
export async function lockCallerShared(tx: Tx, { actor }: Caller): Promise<void> {
  if (actor.type === 'person') await lockPersonShared(tx, actor.id)
}

/** Locks one request, which the caller has found. Rejects if its row no longer exists. */
export async function lockRequest(tx: Tx, id: string): Promise<Selectable<RequestTable>> {
  const [request] = await lockRequests(tx, [id])
  if (request === undefined) throw new Error(`Request ${id} no longer exists`)
  return request
}

/**
 * Locks activations, shared, and then the run of a request and the request, in one round trip. The
 * order is that of every verb. Rejects if the row of the request no longer exists.
 */
export async function lockForAct(
  tx: Tx,
  { id, runId }: { readonly id: string; readonly runId: string | null },
): Promise<Selectable<RequestTable>> {
  const [, , request] = await together([
    lockActivationShared(tx),
    runId === null ? Promise.resolve() : lockRun(tx, runId),
    lockRequest(tx, id),
  ])
  return request
}

/** Locks requests by id, ascending; call it after their runs are locked. */
export async function lockRequests(
  tx: Tx,
  requestIds: readonly string[],
): Promise<Selectable<RequestTable>[]> {
  if (requestIds.length === 0) return []
  return tx
    .selectFrom('request')
    .where(isOneOf('id', requestIds))
    .orderBy('id')
    .selectAll()
    .forUpdate()
    .execute()
}

/**
 * Locks the lineage of the run that an expression names, root first, and then these requests by id,
 * in one query. Returns the requests; without such a run it locks nothing.
 */
export async function lockRunAndRequests(
  tx: Tx,
  runId: RawBuilder<string>,
  requestIds: readonly string[],
): Promise<Selectable<RequestTable>[]> {
  if (requestIds.length === 0) {
    await lockLineage(tx, runId)
    return []
  }
  // The count forces Postgres to lock all runs before it reads the first request.
  const { rows } = await sql<Selectable<RequestTable>>`
    ${onePlan} with runs as materialized (${lineageToLock('run.id', runId)})
    select * from request
    where ${isOneOf('id', requestIds)} and (select count(*) from runs) > 0
    order by id for update
  `.execute(tx)
  return rows
}

/**
 * The same for requests of any number of runs, or of none: the lineages of all runs, from the roots
 * down and by id at each depth, then the requests by id. Requests whose run is not among them are
 * not returned.
 */
export async function lockRunsAndRequests(
  tx: Tx,
  runIds: readonly string[],
  requestIds: readonly string[],
): Promise<Selectable<RequestTable>[]> {
  const { rows } = await sql<Selectable<RequestTable>>`
    with runs as materialized (
      select run.id from run
      join run_lineage as own on own.run_id = run.id and own.ancestor_id = run.id
      where run.id in (select ancestor_id from run_lineage where ${isOneOf('run_id', runIds)})
      order by own.depth, run.id for update of run
    )
    select * from request
    where ${isOneOf('id', requestIds)} and (select count(*) from runs) >= 0
      and (run_id is null or run_id in (select id from runs))
    order by id for update
  `.execute(tx)
  return rows
}

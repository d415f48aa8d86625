import { sql, type Kysely } from 'kysely'

/**
 * Taken first: all migrations that are due run in one transaction, and the next one replaces a
 * trigger of `run`. A process of the earlier version locks a run first and writes its events last,
 * so it must not find `audit_event` locked while this waits for `run`.
 */
const locks = `
  lock table run in exclusive mode;
  lock table audit_event in access exclusive mode;
`

/**
 * Most events are those of a policy or of the service itself, which have no id of an actor, and no
 * query looks for an actor without one. The index had an entry for each of them all the same.
 */
const actorsWithId = `
  create index audit_event_by_actor on audit_event (actor_id, at desc, id desc)
    where actor_id is not null;
  drop index audit_event_of_actor;
`

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(locks).execute(db)
  await sql.raw(actorsWithId).execute(db)
}

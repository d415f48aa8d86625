import { sql, type Kysely } from 'kysely'

/**
 * Most events are those of a policy or of the service itself, which have no id of an actor, and no
 * query looks for an actor without one. The index had an entry for each of them all the same. The
 * table is locked before: a process of the earlier version that writes an event would otherwise
 * wait for the new index, and the removal of the old one for that process.
 */
const actorsWithId = `
  lock table audit_event in access exclusive mode;
  create index audit_event_by_actor on audit_event (actor_id, at desc, id desc)
    where actor_id is not null;
  drop index audit_event_of_actor;
`

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(actorsWithId).execute(db)
}

import { sql, type Kysely } from 'kysely'

/**
 * The log over the trail (audit.md, Form): events wait in `audit_unsequenced` until the sequencer
 * gives each the index of a leaf. Those of before wait too. Nothing in the log is changed or
 * removed; its queue is no evidence.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- compact: a leaf's hash is that of its event's document until its tile is whole
    create table audit_leaf (
      index bigint primary key,
      event_id uuid not null unique
    );
    create table audit_tile (
      level smallint not null,
      index bigint not null,
      -- of the subtree that the tile is, which is a hash of the tile above
      root bytea not null,
      hashes bytea not null,
      primary key (level, index)
    );
    alter table audit_tile alter column hashes set storage external;
    create table audit_checkpoint (
      size bigint primary key,
      note text not null,
      at timestamptz not null default clock_timestamp()
    );
    create table audit_unsequenced (
      place bigint generated always as identity primary key,
      event_id uuid not null
    );
  `.execute(db)
  for (const table of ['audit_leaf', 'audit_tile', 'audit_checkpoint']) {
    await sql`
      create trigger ${sql.id(`${table}_append_only`)} before update or delete on ${sql.table(table)}
        for each row execute function refuse_change();
      create trigger ${sql.id(`${table}_no_truncate`)} before truncate on ${sql.table(table)}
        for each statement execute function refuse_change();
      alter table ${sql.table(table)} enable always trigger ${sql.id(`${table}_append_only`)};
      alter table ${sql.table(table)} enable always trigger ${sql.id(`${table}_no_truncate`)};
    `.execute(db)
  }
  await sql`
    insert into audit_unsequenced (event_id)
      select id from audit_event order by at, sequence nulls first, id;
    create function leave_unsequenced() returns trigger language plpgsql as $$
    begin
      insert into audit_unsequenced (event_id) select id from added;
      return null;
    end $$;
    create trigger audit_event_unsequenced after insert on audit_event
      referencing new table as added
      for each statement execute function leave_unsequenced();
    alter table audit_event enable always trigger audit_event_unsequenced;
  `.execute(db)
}

import { sql, type Kysely } from 'kysely'

/**
 * Notifies API processes, which cache look-ups of sessions and keys for a moment, whose sign-ins a
 * transaction has changed: with the person's id, or with nothing when all rows were removed. The
 * time of last use does not count, nor do new rows, which nobody has cached.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function tell_sign_in_changed() returns trigger language plpgsql as $$
    begin
      if tg_level = 'STATEMENT' then
        perform pg_notify('countersign_sign_in', '');
      else
        perform pg_notify('countersign_sign_in', to_jsonb(old) ->> tg_argv[0]);
      end if;
      return null;
    end $$
  `.execute(db)
  for (const [table, person, use] of [
    ['session', 'person_id', 'last_seen_at'],
    ['api_key', 'owner_id', 'last_used_at'],
    ['person', 'id', null],
  ] as const) {
    const [name, column] = [sql.table(table), sql.lit(person)]
    const unlike =
      use === null
        ? sql`old is distinct from new`
        : sql`to_jsonb(old) - ${sql.lit(use)} is distinct from to_jsonb(new) - ${sql.lit(use)}`
    await sql`
      create trigger ${sql.ref(`${table}_changed`)} after update on ${name} for each row
        when (${unlike}) execute function tell_sign_in_changed(${column})
    `.execute(db)
    await sql`
      create trigger ${sql.ref(`${table}_deleted`)} after delete on ${name} for each row
        execute function tell_sign_in_changed(${column})
    `.execute(db)
    await sql`
      create trigger ${sql.ref(`${table}_emptied`)} after truncate on ${name}
        for each statement execute function tell_sign_in_changed()
    `.execute(db)
  }
}

import { sql, type Kysely } from 'kysely'

/** A worker may ask before its runs begin: a run names the request that its start waits for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table run add column start_request_id uuid;
    alter table request drop constraint request_kind_check;
    alter table request add constraint request_kind_check
      check (kind in ('tool_call', 'start', 'attachment', 'question', 'outcome_check', 'external'));
  `.execute(db)
}

import { sql, type Kysely } from 'kysely'

/**
 * What a call through `/mcp` has besides the request of its program: which call it is, so that it
 * is found when it is made again, and what the server answered.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table gateway_call (
      request_id uuid primary key references request(id),
      -- names it to the client as a task; nobody can guess it
      task_id text not null unique,
      owner_id uuid not null references person(id),
      server text not null,
      -- hash of key, server, tool and arguments, and of the name that keeps equal calls apart
      call_key text not null,
      client_call_id text,
      task_queue text not null,
      -- carried out as soon as it is approved; otherwise when the caller wants it
      by_task boolean not null default false,
      wanted_at timestamptz,
      -- the caller was told that it waits, and the result
      left_at timestamptz,
      told_at timestamptz,
      refusal text,
      refusal_reason text,
      result_hash text references content(hash),
      outcome_check_id uuid references request(id),
      created_at timestamptz not null default clock_timestamp()
    );
    -- the same call made again
    create index gateway_call_again on gateway_call (call_key, created_at desc);
    -- removal of content: who refers to it
    create index gateway_call_result on gateway_call (result_hash) where result_hash is not null
  `.execute(db)
}

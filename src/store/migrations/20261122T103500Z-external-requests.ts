import { sql, type Kysely } from 'kysely'

/**
 * What a request of a program that is no run of ours has besides its row in `request` (api.md,
 * Requests): who asked, in which words, and what became of the approval once the program took it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table external_request (
      request_id uuid primary key references request(id),
      owner_id uuid not null references person(id),
      external_id text not null,
      api_key_id text not null references api_key(id),
      on_behalf_of uuid references person(id),
      worker text,
      verdict text not null check (verdict in ('ask', 'preApproved')),
      body_hash text not null,
      -- the program's own words, canonical JSON
      claim_hash text references content(hash),
      metadata jsonb,
      consumed_by text references api_key(id),
      consumed_at timestamptz,
      outcome text check (outcome in ('succeeded', 'failed', 'unknown')),
      outcome_summary_hash text references content(hash),
      outcome_at timestamptz,
      unique (owner_id, external_id)
    );
    -- reconciler: requests that wait and should have a workflow
    create index request_external_pending on request (id) where state = 'pending' and kind = 'external'
  `.execute(db)
}

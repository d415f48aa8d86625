import { sql, type Kysely } from 'kysely'

/**
 * What lists are read by at any size: each index names the query it serves (`bench -- scale`
 * asserts that they do). Search takes `pg_trgm`, which comes with Postgres and which the owner of a
 * database may add.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create extension if not exists pg_trgm;
    create function other_teams(routing jsonb, team text) returns text[]
      language sql immutable parallel safe as $$
        select array_agg(distinct name #>> '{}')
        from jsonb_path_query(routing, '$.quorum.any[*][*].*[*] ? (@.type() == "string")') as name
        where name #>> '{}' <> team
      $$;
    -- teams beside the queue's own that the quorum names; null for most, which takes no room
    alter table request add column other_teams text[]
      generated always as (other_teams(routing, team)) stored;
    -- lists of requests: what goes to few, by their teams
    create index request_of_team on request (team, created_at desc, id desc);
    create index request_of_other_teams on request using gin (other_teams) where other_teams is not null;
    -- lists of requests: what ended in a state
    create index request_ended on request (state, created_at desc, id desc) where state <> 'pending';
    -- search
    create index request_search on request using gin ((title || e'\\n' || tool) gin_trgm_ops);
    -- list of runs: of a worker, and what a key started
    create index run_of_worker on run (worker, created_at desc, id desc);
    create index run_of_key on run (api_key_id) where api_key_id is not null;
    -- the trail by the kinds of actor that are rare in it
    create index audit_event_of_rare_kind on audit_event (actor_type, at desc, id desc)
      where actor_type in ('machine', 'timer', 'system');
  `.execute(db)
}

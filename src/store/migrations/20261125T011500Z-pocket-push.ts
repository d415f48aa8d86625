import { sql, type Kysely } from 'kysely'

/** Devices that people have their notifications pushed to; they end with their session. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table push_subscription (
      id uuid primary key,
      person_id uuid not null references person(id),
      session_id uuid not null references session(id) on delete cascade,
      endpoint text not null,
      p256dh text not null,
      auth text not null,
      created_at timestamptz not null default clock_timestamp(),
      seal text
    );
    create index push_subscription_of_person on push_subscription (person_id);
    create index push_subscription_of_session on push_subscription (session_id);
  `.execute(db)
}

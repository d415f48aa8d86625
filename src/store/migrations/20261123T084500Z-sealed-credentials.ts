import { sql, type Kysely } from 'kysely'

/** What binds the rows that somebody is known by, as those that a decision believes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table session add column seal text;
    alter table sign_in_link add column seal text;
    alter table api_key add column seal text;
    alter table credential add column seal text;
    alter table identity add column seal text;
    alter table slack_link add column seal text;
    alter table external_request add column seal text;
  `.execute(db)
}

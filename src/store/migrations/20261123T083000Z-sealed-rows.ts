import { sql, type Kysely } from 'kysely'

/**
 * What binds a row that a decision believes, made with a key outside the database; rows of before
 * have none until they are adopted.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table person add column seal text;
    alter table membership add column seal text;
    alter table decision add column seal text;
    alter table request add column seal text, add column principals_digest text;
    alter table request_revision add column seal text;
  `.execute(db)
}

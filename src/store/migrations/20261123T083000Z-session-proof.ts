import { sql, type Kysely } from 'kysely'

/**
 * What a browser's session proves beside its cookie, which every port of a host receives: a token
 * of the origin's own storage. Sessions of before have none, and no browser keeps on using one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table session add column proof_hash text;
    alter table sign_in_flow add column proof_hash text;
    alter table sign_in_link add column proof_hash text;
  `.execute(db)
}

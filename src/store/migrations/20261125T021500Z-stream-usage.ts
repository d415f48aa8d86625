import { sql, type Kysely } from 'kysely'

/**
 * Of each attempt the tokens that the provider read from its cache, and what it cost by the price
 * list in force then; no cost: its model had no price.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table turn_attempt add column cached_input_tokens bigint, add column cost_usd double precision
  `.execute(db)
}

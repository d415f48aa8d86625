import { sql, type Kysely } from 'kysely'

/**
 * Which epoch began with rows lost, as far as anybody knows: what was asked in an older one may
 * have been decided and carried out in the time that they told of. Of an installation that was
 * reconciled before this, it is not known.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table installation add column restored_epoch integer not null default 1;
    update installation set restored_epoch = epoch;
  `.execute(db)
}

import { sql, type Kysely } from 'kysely'

/**
 * What witnesses outside of the building cosigned (audit.md, Protection), which stays as it came,
 * and how each of them is asked: who is at it, when again, and what it said last.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_cosignature (
      -- of the checkpoint
      size bigint not null,
      -- name and hash of the witness's key, as the first two parts of its verifier key
      witness text not null,
      -- a signature line of the checkpoint's note
      line text not null,
      -- by the witness's clock
      cosigned_at timestamptz not null,
      at timestamptz not null default clock_timestamp(),
      primary key (size, witness)
    );
    -- the newest of a witness: readWitnesses
    create index audit_cosignature_witness on audit_cosignature (witness, size);
    create trigger audit_cosignature_append_only before update or delete on audit_cosignature
      for each row execute function refuse_change();
    create trigger audit_cosignature_no_truncate before truncate on audit_cosignature
      for each statement execute function refuse_change();
    alter table audit_cosignature enable always trigger audit_cosignature_append_only;
    alter table audit_cosignature enable always trigger audit_cosignature_no_truncate;
    create table audit_witness (
      witness text primary key,
      -- its name in the configuration
      name text not null,
      leased_until timestamptz,
      next_at timestamptz not null default clock_timestamp(),
      failures integer not null default 0,
      -- why it did not cosign when it was asked last
      problem text,
      -- it has another history of the log: since when
      contradicted_at timestamptz
    )
  `.execute(db)
}

import { sql } from 'kysely'
import type { Tx } from '../database.ts'

/** A table's columns in their order, each with its type as Postgres writes it. */
export interface TableShape {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
}

/** The last value of a sequence, as text since it is a `bigint`; `null`: not used yet. */
export interface SequencePlace {
  readonly name: string
  readonly last: string | null
}

/** Every table by name, without the migrator's tables and without generated columns. */
export async function readShapes(tx: Tx): Promise<TableShape[]> {
  const { rows } = await sql<TableShape>`
    select class.relname as name,
      json_agg(
        json_build_object('name', attname, 'type', format_type(atttypid, atttypmod)) order by attnum
      ) as columns
    from pg_class class join pg_attribute attribute on attribute.attrelid = class.oid
    where class.relnamespace = current_schema()::regnamespace and class.relkind in ('r', 'p')
      and not class.relispartition and class.relname not in ('kysely_migration', 'kysely_migration_lock')
      and attnum > 0 and not attisdropped and attgenerated = ''
    group by class.relname order by class.relname
  `.execute(tx)
  return rows
}

/** The sequences of the schema by name, with their last values; `null`: one was never used. */
export async function readSequences(tx: Tx): Promise<SequencePlace[]> {
  const { rows } = await sql<SequencePlace>`
    select sequencename as name, last_value::text as last from pg_sequences
    where schemaname = current_schema() order by sequencename
  `.execute(tx)
  return rows
}

/** Whether the schema has no table, view or sequence other than those of extensions. */
export async function isEmptyDatabase(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ empty: boolean }>`
    select not exists (
      select from pg_class class where relnamespace = current_schema()::regnamespace
        and not exists (
          select from pg_depend where classid = 'pg_class'::regclass and objid = class.oid and deptype = 'e'
        )
    ) as empty
  `.execute(tx)
  return rows[0]?.empty === true
}

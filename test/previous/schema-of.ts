import { sql } from 'kysely'
import type { Db } from '#store/database.ts'

/**
 * Everything that a schema has, as Postgres writes it: columns in their order, constraints,
 * indexes, triggers, functions, views, sequences, extensions. Left out are the indentation of
 * functions, and the names of "not null", which depend on the version of Postgres.
 */
export async function schemaOf(db: Db): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    with ours as (
      select oid, relname, relkind, reloptions from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'i', 'S')
    )
    select concat_ws(' ', 'column', relname, rank() over (partition by ours.oid order by attnum), attname,
      format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, attstattarget,
      pg_get_expr(adbin, adrelid)) as line
      from ours join pg_attribute on attrelid = ours.oid
      left join pg_attrdef on adrelid = ours.oid and adnum = attnum
      where attnum > 0 and not attisdropped
    union all
    select concat_ws(' ', 'relation', relkind, relname, reloptions) from ours
    union all
    select concat_ws(' ', 'constraint', relname, conname, pg_get_constraintdef(pg_constraint.oid))
      from ours join pg_constraint on conrelid = ours.oid where contype <> 'n'
    union all
    select concat_ws(' ', 'index', pg_get_indexdef(indexrelid)) from ours join pg_index on indrelid = ours.oid
    union all
    select concat_ws(' ', 'trigger', tgenabled, pg_get_triggerdef(pg_trigger.oid))
      from ours join pg_trigger on tgrelid = ours.oid where not tgisinternal
    union all
    select concat_ws(' ', 'view', relname, pg_get_viewdef(oid)) from ours where relkind = 'v'
    union all
    select concat_ws(' ', 'sequence', sequencename, data_type, start_value, increment_by)
      from pg_sequences where schemaname = 'public'
    union all
    select concat_ws(' ', 'extension', extname) from pg_extension
    union all
    select concat_ws(' ', 'function', regexp_replace(pg_get_functiondef(pg_proc.oid), '\\n\\s+', e'\\n', 'g')) from pg_proc
      where pronamespace = 'public'::regnamespace
    order by 1
  `.execute(db)
  return rows.map(({ line }) => line)
}

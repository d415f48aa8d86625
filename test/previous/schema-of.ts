import { sql } from 'kysely'
import type { Db } from '#store/database.ts'

/**
 * Everything that a schema has, as Postgres writes it: columns, constraints, indexes, triggers,
 * functions.
 */
export async function schemaOf(db: Db): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    with ours as (
      select oid, relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    )
    select concat_ws(' ', 'column', relname, attname, format_type(atttypid, atttypmod), attnotnull, attidentity,
      attstorage, pg_get_expr(adbin, adrelid)) as line
      from ours join pg_attribute on attrelid = ours.oid
      left join pg_attrdef on adrelid = ours.oid and adnum = attnum
      where attnum > 0 and not attisdropped
    union all
    select concat_ws(' ', 'constraint', relname, conname, pg_get_constraintdef(pg_constraint.oid))
      from ours join pg_constraint on conrelid = ours.oid
    union all
    select concat_ws(' ', 'index', pg_get_indexdef(indexrelid)) from ours join pg_index on indrelid = ours.oid
    union all
    select concat_ws(' ', 'trigger', tgenabled, pg_get_triggerdef(pg_trigger.oid))
      from ours join pg_trigger on tgrelid = ours.oid where not tgisinternal
    union all
    select concat_ws(' ', 'function', pg_get_functiondef(oid)) from pg_proc
      where pronamespace = 'public'::regnamespace
    order by 1
  `.execute(db)
  return rows.map(({ line }) => line)
}

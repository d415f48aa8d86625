import type { UndoneDatabase } from './undone-database.ts'

export interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly isNullable: boolean
}

/** Every column of every table, whichever a later migration adds. */
export async function columnsOf({ query }: UndoneDatabase): Promise<Column[]> {
  const { rows } = await query(
    `select c.table_name as table, c.column_name as name, format_type(a.atttypid, null) as type,
       c.is_nullable = 'YES' as "isNullable"
     from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     join pg_attribute a on a.attrelid = format('%I.%I', c.table_schema, c.table_name)::regclass
       and a.attname = c.column_name
     where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'
       and c.is_generated = 'NEVER' and c.identity_generation is distinct from 'ALWAYS'
     order by 1, c.ordinal_position`,
  )
  return rows as Column[]
}

/**
 * Statements that write other values into a column of all rows: what other rows have, what its
 * checks name, the ends of its type.
 */
export async function changesOf(
  { query }: UndoneDatabase,
  { table, name, type, isNullable }: Column,
): Promise<string[]> {
  const column = `"${name}"`
  const { rows } = await query(
    `select distinct ${column}::text as text from "${table}" where ${column} is not null limit 5`,
  )
  const present = rows.map(({ text }) => String(text))
  const { rows: checks } = await query(
    `select pg_get_constraintdef(oid) as text from pg_constraint
     where conrelid = $1::regclass and contype = 'c'`,
    [`"${table}"`],
  )
  const words = checks
    .filter(({ text }) => new RegExp(`\\b${name}\\b`).test(String(text)))
    .flatMap(({ text }) => [...String(text).matchAll(/'([^']*)'::text/g)].map(([, word]) => word))
  const literals = [...new Set([...present, ...(type === 'text' ? words : [])])]
  const changes = [
    ...(isNullable ? ['null'] : []),
    ...literals.map((text) => `${literal(text ?? '')}::${type}`),
    ...(endsOf[type] ?? []).map((expression) => expression.replaceAll('?', column)),
  ]
  return changes.map(
    (value) =>
      `update "${table}" set ${column} = ${value} where ${column} is distinct from ${value}`,
  )
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** By type; `?` is the column. */
const endsOf: Readonly<Record<string, readonly string[]>> = {
  boolean: ['true', 'false'],
  integer: ['0', '? + 1', '? - 1', '1000'],
  bigint: ['0', '? + 1', '? - 1', '1000000'],
  'timestamp with time zone': [
    `clock_timestamp() + interval '1 year'`,
    `clock_timestamp() - interval '1 year'`,
  ],
  uuid: ['gen_random_uuid()'],
  text: [`''`, `'forged'`],
  'text[]': [`'{}'`, `'{forged}'`],
  jsonb: [
    `'{}'`,
    `'[]'`,
    `replace(?::text, 'false', 'true')::jsonb`,
    `replace(?::text, 'true', 'false')::jsonb`,
    `replace(?::text, '"ask"', '"preApproved"')::jsonb`,
    `regexp_replace(?::text, '"count": \\d+', '"count": 0', 'g')::jsonb`,
    `replace(replace(?::text, '"required"', '"optional"'), '"revise"', '"approve"')::jsonb`,
  ],
}

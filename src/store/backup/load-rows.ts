import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import type { TableShape } from './catalog.ts'

/** Inserts rows that `readRows` read and returns their number. `table` must match the database. */
export async function loadRows(tx: Tx, table: TableShape, text: string): Promise<number> {
  const lines = text.split('\n').filter((line) => line !== '')
  const names = sql.join(table.columns.map(({ name }) => sql.id(name)))
  const texts = sql.join(table.columns.map(({ name }) => sql`${sql.id(name)} text`))
  const values = sql.join(
    table.columns.map(({ name, type }) => sql`r.${sql.id(name)}::${sql.raw(type)}`),
  )
  await sql`
    insert into ${sql.table(table.name)} (${names}) overriding system value
    select ${values} from json_to_recordset(${`[${lines.join(',')}]`}::json) as r(${texts})
  `.execute(tx)
  return lines.length
}

type ForeignKey = { readonly table: string; readonly name: string; readonly definition: string }
type Trigger = { readonly table: string; readonly name: string; readonly enabled: string }

/**
 * Runs `load` without foreign keys and triggers, since rows come table by table; afterwards every
 * foreign key is checked. Needs the tables' owner.
 */
export async function withoutChecks(tx: Tx, load: () => Promise<void>): Promise<void> {
  const keys = await foreignKeys(tx)
  const triggers = await ownTriggers(tx)
  for (const { table, name } of keys)
    await sql`alter table ${sql.table(table)} drop constraint ${sql.id(name)}`.execute(tx)
  for (const { table, name } of triggers)
    await sql`alter table ${sql.table(table)} disable trigger ${sql.id(name)}`.execute(tx)
  await load()
  for (const { table, name, enabled } of triggers) {
    if (enabled === 'D') continue
    const how = sql.raw({ A: 'enable always', R: 'enable replica' }[enabled] ?? 'enable')
    await sql`alter table ${sql.table(table)} ${how} trigger ${sql.id(name)}`.execute(tx)
  }
  for (const { table, name, definition } of keys) {
    await sql`alter table ${sql.table(table)} add constraint ${sql.id(name)} ${sql.raw(definition)}`.execute(
      tx,
    )
  }
}

async function foreignKeys(tx: Tx): Promise<ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`
    select class.relname as table, conname as name, pg_get_constraintdef(con.oid) as definition
    from pg_constraint con join pg_class class on class.oid = con.conrelid
    where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace
    order by class.relname, conname
  `.execute(tx)
  return rows
}

async function ownTriggers(tx: Tx): Promise<Trigger[]> {
  const { rows } = await sql<Trigger>`
    select class.relname as table, tgname as name, tgenabled as enabled
    from pg_trigger join pg_class class on class.oid = tgrelid
    where not tgisinternal and tgparentid = 0 and relnamespace = current_schema()::regnamespace
    order by class.relname, tgname
  `.execute(tx)
  return rows
}

import { sql } from 'kysely'
import { advisoryLocks } from '../connection/advisory-locks.ts'
import type { Db, Tx } from '../database.ts'

/** The role that API and Temporal workers connect as; it is not the database's owner. */
export interface ApplicationRole {
  readonly name: string
  /** for a new role; `null`: the server needs none */
  readonly password: string | null
}

/**
 * Grants the role what API and Temporal workers need, and no more (audit.md, Protection): the rows
 * of every table, and no change of the schema. In the trail it may only read and add. Creates a
 * missing role. The owner runs it after each migration, for new tables. Returns whether the role
 * was created.
 */
export async function grantApplication(db: Db, role: ApplicationRole): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${advisoryLocks.grants})`.execute(tx)
    const isNew = await makeRole(tx, role)
    const name = sql.id(role.name)
    const tables = await readTables(tx)
    const all = namesOf(tables)
    const appendOnly = namesOf(tables.filter((table) => table.kind === 'trail'))
    const readOnly = namesOf(tables.filter((table) => table.kind === 'readOnly'))
    const ours = namesOf(tables.filter((table) => table.kind === 'rows'))
    const schema = sql.id(tables[0]?.schema ?? 'public')
    await sql`revoke all on ${all} from ${name}`.execute(tx)
    await sql`revoke create on schema ${schema} from ${name}`.execute(tx)
    await sql`grant usage on schema ${schema} to ${name}`.execute(tx)
    await sql`grant usage on all sequences in schema ${schema} to ${name}`.execute(tx)
    await sql`grant select, insert, update, delete on ${ours} to ${name}`.execute(tx)
    await sql`grant select, insert on ${appendOnly} to ${name}`.execute(tx)
    await sql`grant select on ${readOnly} to ${name}`.execute(tx)
    return isNew
  })
}

/** Tables of the trail that a role can change or remove, as owner or by rights. */
export async function changeableTrail(db: Db, role: string | null): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select class.relname as name from pg_class class
    cross join (select coalesce(${role}::name, current_user) as role) who
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and ${isTrail}
      and (has_table_privilege(who.role, class.oid, 'update') or has_table_privilege(who.role, class.oid, 'delete')
        or has_table_privilege(who.role, class.oid, 'truncate') or pg_has_role(who.role, relowner, 'member'))
    order by relname
  `.execute(db)
  return rows.map(({ name }) => name)
}

/** A table is of the trail when a trigger refuses every change. */
const isTrail = sql`exists (
  select from pg_trigger join pg_proc on pg_proc.oid = tgfoid
  where tgrelid = class.oid and proname = 'refuse_change'
)`

interface Table {
  readonly schema: string
  readonly name: string
  readonly kind: 'trail' | 'readOnly' | 'rows'
}

async function readTables(tx: Tx): Promise<Table[]> {
  const { rows } = await sql<Table>`
    select current_schema() as schema, class.relname as name, case
      when ${isTrail} then 'trail'
      -- A view acts with its owner's rights.
      when relkind = 'v' or relname in ('kysely_migration', 'kysely_migration_lock') then 'readOnly'
      else 'rows' end as kind
    from pg_class class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v') order by relname
  `.execute(tx)
  return rows
}

function namesOf(tables: readonly Table[]) {
  return sql.join(tables.map(({ name }) => sql.table(name)))
}

async function makeRole(tx: Tx, { name, password }: ApplicationRole): Promise<boolean> {
  const { rows } = await sql`select from pg_roles where rolname = ${name}`.execute(tx)
  if (rows.length > 0) return false
  const secret = password === null ? sql`` : sql` password ${sql.lit(password)}`
  await sql`create role ${sql.id(name)} login${secret}`.execute(tx).catch((cause: unknown) => {
    throw new Error(
      `there is no role "${name}", and this one may not make it: create role ${name} login password '…'`,
      { cause },
    )
  })
  return true
}

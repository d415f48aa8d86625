import { sql } from 'kysely'
import type { Tx } from '#store/database.ts'
import type { Choices } from '../../shell/seeded.ts'

export const tamperings = ['change', 'delete', 'insert', 'reorder', 'truncate'] as const
export type Tampering = (typeof tamperings)[number]

/** A table that evidence rests on. */
interface TrailTable {
  readonly order: string
  /** its columns that are evidence, each with an expression for another value */
  readonly changes: Readonly<Record<string, (at: number) => string>>
  /** the column that two rows swap to change places */
  readonly swaps: string
  /** inserts a row made from `row`; `null`: another row of this table proves nothing */
  readonly insert: ((row: string) => string) | null
  /** only the newest row is evidence: it covers the older ones */
  readonly newestOnly?: true
}

const anotherLetter = (column: string) => (at: number) =>
  `overlay(${column} placing case substr(${column}, 1 + ${at} % length(${column}), 1) when 'x' then 'y' else 'x' end
    from 1 + ${at} % length(${column}) for 1)`
const anotherByte = (column: string) => (at: number) =>
  `set_byte(${column}, ${at} % length(${column}), (get_byte(${column}, ${at} % length(${column})) + 1) % 256)`
const anotherId = () => 'gen_random_uuid()'
const letters = (...columns: readonly string[]) =>
  Object.fromEntries(columns.map((column) => [column, anotherLetter(column)]))

export const trailTables: Readonly<Record<string, TrailTable>> = {
  audit_event: {
    order: 'at, id',
    changes: {
      ...letters('document', 'type'),
      at: () => `at - interval '1 day'`,
      run_id: anotherId,
      call_id: anotherId,
      request_id: anotherId,
      sequence: () => 'coalesce(sequence, 0) + 1000',
    },
    swaps: 'document',
    insert: (row) => `insert into audit_event
      select gen_random_uuid(), at, type, actor_type, actor_id, run_id, null, call_id, null, document
      from audit_event where ctid = ${row}`,
  },
  audit_leaf: {
    order: 'index',
    changes: { event_id: anotherId, index: () => 'index + 100000' },
    swaps: 'event_id',
    insert: () => `insert into audit_leaf
      select max(index) + 1, gen_random_uuid() from audit_leaf`,
  },
  audit_tile: {
    order: 'level, index',
    changes: { hashes: anotherByte('hashes'), root: anotherByte('root') },
    swaps: 'hashes',
    insert: (row) => `insert into audit_tile
      select level, index + 100, root, hashes from audit_tile where ctid = ${row}`,
  },
  audit_checkpoint: {
    order: 'size',
    changes: letters('note'),
    swaps: 'note',
    insert: (row) => `insert into audit_checkpoint
      select size - 1, ${anotherLetter('note')(60)} from audit_checkpoint where ctid = ${row}`,
    newestOnly: true,
  },
  audit_cosignature: {
    order: 'size',
    changes: { ...letters('line'), size: () => 'size + 1' },
    swaps: 'line',
    // Anybody may add a line to a note: a verifier reads only the lines of witnesses that it knows.
    insert: null,
    newestOnly: true,
  },
  permit: {
    order: 'id',
    changes: letters('statement', 'signature', 'key_id'),
    swaps: 'statement',
    insert: (
      row,
    ) => `insert into permit (id, request_id, revision, attempt, statement, signature, key_id, epoch, expires_at)
      select gen_random_uuid(), gen_random_uuid(), 1, 1, statement, signature, key_id, 1, now() from permit where ctid = ${row}`,
  },
  approval_grant: {
    order: 'id',
    changes: letters('statement', 'signature', 'key_id'),
    swaps: 'statement',
    insert: (row) => `insert into approval_grant
      (id, root_run_id, tool, scope, digest, queue, team, granted_by, request_id, statement, signature, key_id)
      select gen_random_uuid(), root_run_id, tool, scope, digest, queue, team, granted_by, request_id,
        ${anotherLetter('statement')(20)}, signature, key_id from approval_grant where ctid = ${row}`,
  },
  run: {
    order: 'id',
    changes: {
      ...letters('worker', 'worker_digest', 'input_digest', 'signature', 'key_id'),
      mode: () => `case mode when 'strict' then 'approve_all' else 'strict' end`,
      started_by: anotherId,
    },
    swaps: 'signature',
    insert: (
      row,
    ) => `insert into run (id, root_run_id, worker, worker_digest, policy_digest, mode, input_digest, title,
        started_by, workflow_id, task_queue, epoch, signature, key_id)
      select gen_random_uuid(), root_run_id, worker, worker_digest, policy_digest, mode, input_digest, title,
        started_by, gen_random_uuid()::text, task_queue, epoch, signature, key_id from run where ctid = ${row}`,
  },
  policy_activation: {
    order: 'sequence',
    changes: letters('statement', 'signature', 'key_id'),
    swaps: 'statement',
    insert: (row) => `insert into policy_activation
      select sequence + 100, digest, statement, signature, key_id, actor, note from policy_activation where ctid = ${row}`,
  },
}

/**
 * Tampers with one random row, as the owner of the database can: without triggers. Returns a
 * description; `null` if nothing can be done to this table.
 */
export async function tamper(
  tx: Tx,
  name: string,
  tampering: Tampering,
  choose: Choices,
): Promise<string | null> {
  const table = trailTables[name]
  if (table === undefined) throw new TypeError(`${name} is no table of the trail`)
  await run(tx, `alter table ${name} disable trigger all`)
  const { rows } = await sql<{ ctid: string }>`
    select ctid::text as ctid from ${sql.table(name)} order by ${sql.raw(table.order)}
  `.execute(tx)
  const ctids = rows.map(({ ctid }) => `'${ctid}'::tid`)
  const picked = table.newestOnly === true ? ctids.length - 1 : choose.number(ctids.length)
  const [first, ...others] = [ctids[picked], ...ctids.filter((_, index) => index !== picked)]
  if (first === undefined) return null
  const row = `${tampering} row ${picked} of ${ctids.length} of ${name}`
  if (tampering === 'change') {
    const columns = Object.entries(table.changes)
    const [column, change] = columns[choose.number(columns.length)] ?? []
    if (column === undefined || change === undefined) return null
    await run(
      tx,
      `update ${name} set ${column} = ${change(choose.number(100_000))} where ctid = ${first}`,
    )
    return `${row}: ${column}`
  }
  if (tampering === 'delete') await run(tx, `delete from ${name} where ctid = ${first}`)
  else if (tampering === 'insert') {
    if (table.insert === null) return null
    await run(tx, table.insert(first))
  } else if (tampering === 'truncate') {
    const from = table.newestOnly === true ? choose.number(ctids.length) : picked
    await run(tx, `delete from ${name} where ctid in (${ctids.slice(from).join(', ')})`)
    return `truncate ${name} from row ${from} of ${ctids.length}`
  } else {
    const second = others[choose.number(others.length)]
    if (second === undefined) return null
    await swap(tx, name, table.swaps, first, second)
  }
  return row
}

/** One row after the other, because their values may be unique. */
async function swap(
  tx: Tx,
  name: string,
  column: string,
  one: string,
  other: string,
): Promise<void> {
  await run(
    tx,
    `create temporary table swapped on commit drop as
      select a.${column} as first, b.${column} as second from ${name} a, ${name} b where a.ctid = ${one} and b.ctid = ${other};
    delete from pg_temp.swapped where first = second;
    create temporary table other_row on commit drop as select * from ${name} where ctid = ${other};
    delete from ${name} where ctid = ${other};
    update ${name} set ${column} = second from swapped where ${name}.ctid = ${one};
    update other_row set ${column} = first from swapped;`,
  )
  const { rows } = await sql<{ names: string }>`
    select string_agg(quote_ident(attname), ', ' order by attnum) as names from pg_attribute
    where attrelid = ${name}::regclass and attnum > 0 and not attisdropped and attgenerated = ''
  `.execute(tx)
  const names = rows[0]?.names ?? ''
  await run(
    tx,
    `insert into ${name} (${names}) overriding system value select ${names} from other_row`,
  )
}

async function run(tx: Tx, statement: string): Promise<void> {
  await sql.raw(statement).execute(tx)
}

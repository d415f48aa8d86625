import { sql, type RawBuilder } from 'kysely'
import {
  createSeals,
  principalsDigest,
  type Revocations,
  type SealableRow,
} from '#domain/statements/row-seals.ts'
import { sealedTables, type SealedTable } from '#domain/statements/sealed-tables.ts'
import { withRetired, type Verifier } from '#domain/statements/statement-bytes.ts'
import { toJsonb, type Tx } from '#store/database.ts'
import { fromJsonRow, type JsonRow } from '#store/json-row.ts'
import { lockActivationAlone } from '../core/locks.ts'
import { inUnitOfWork, type UnitOfWork } from '../core/unit-of-work.ts'
import type { SystemContext } from '../core/context.ts'
import { bySystem, type SystemCaller } from '../core/authority.ts'

const service: SystemCaller = { actor: { type: 'system', name: 'service' }, channel: 'system' }

/** Requests that can still be decided or renewed. */
const openRequests = sql`select request.id from request left join run on run.id = request.run_id
  where request.state = 'pending' or run.ended_at is null and run.id is not null`

/** The rows of each table that still count, and their keys. */
const living: Readonly<
  Record<SealedTable, { key: readonly string[]; which: RawBuilder<unknown> }>
> = {
  person: { key: ['id'], which: sql`disabled_at is null` },
  session: { key: ['token_hash'], which: sql`true` },
  push_subscription: { key: ['id'], which: sql`true` },
  sign_in_link: { key: ['token_hash'], which: sql`used_at is null` },
  api_key: { key: ['id'], which: sql`true` },
  credential: { key: ['id'], which: sql`removed_at is null` },
  passkey_challenge: { key: ['challenge'], which: sql`false` },
  sign_in_flow: { key: ['state_hash'], which: sql`false` },
  api_key_proposal: { key: ['id'], which: sql`true` },
  slack_link_code: { key: ['code_hash'], which: sql`false` },
  identity: { key: ['issuer', 'subject'], which: sql`true` },
  slack_link: { key: ['id'], which: sql`true` },
  external_request: { key: ['request_id'], which: sql`consumed_at is null` },
  membership: { key: ['team', 'person_id'], which: sql`true` },
  request: { key: ['id'], which: sql`id in (${openRequests})` },
  request_revision: {
    key: ['request_id', 'revision'],
    which: sql`request_id in (${openRequests})`,
  },
  decision: { key: ['id'], which: sql`request_id in (${openRequests})` },
  slack_message: { key: ['request_id'], which: sql`true` },
  delivery: { key: ['id'], which: sql`state <> 'delivered'` },
}

/**
 * Seals rows as they are now: those from before there were seals, at the first start of this
 * version, or of a database that somebody accepted after a restore. From then on a row without a
 * seal counts for nothing, so the caller makes sure that this happens once (security.md 29).
 * Records the number of rows of each table.
 */
export async function adoptRows(
  ctx: SystemContext,
  which: {
    /** also rows whose seal does not hold */
    readonly again: boolean
    /** absent: all */
    readonly tables?: readonly SealedTable[]
  },
): Promise<Readonly<Record<string, number>>> {
  return inUnitOfWork(ctx, bySystem(ctx, service), async (unit) => {
    await lockActivationAlone(unit.tx)
    const adopted: Record<string, number> = {}
    for (const table of which.tables ?? (Object.keys(sealedTables) as SealedTable[])) {
      const where = sql<boolean>`(${living[table].which}) and (seal is null or ${which.again})`
      const count = await sealTable((work) => work(unit), table, {
        where,
        isWanted: (row, digest) => !isSealed(row, digest),
      })
      function isSealed(row: SealableRow, digest: string | null): boolean {
        const matches = digest === null || digest === row['principals_digest']
        return matches && unit.seals.holds(table, row)
      }
      if (count > 0) adopted[table] = count
    }
    if (Object.keys(adopted).length > 0) {
      await unit.audit({ type: 'system.reconciled', detail: { adopted } })
    }
    return adopted
  })
}

/** Carries out work in a unit: in the caller's own, or in a new one each time. */
type InUnit = <T>(work: (unit: UnitOfWork) => Promise<T>) => Promise<T>

/**
 * Seals again with the present key those rows of these tables that have a valid seal of a key that
 * is about to be retired. Skips tables that the API process does not seal, and the tables of
 * `endsWithKey`, whose rows end with their key. Returns how many rows it sealed.
 */
export async function resealRows(
  inUnit: InUnit,
  {
    verifier,
    revocations,
    retiring,
    tables,
  }: {
    readonly verifier: Verifier
    readonly revocations: Revocations
    readonly retiring: readonly string[]
    readonly tables: readonly SealedTable[]
  },
): Promise<number> {
  const before = createSeals({
    sharedKeys: () => {
      throw new Error('Retiring a signing key needs no shared key')
    },
    verifier: withRetired(verifier),
    signer: null,
    revocations,
  })
  let count = 0
  for (const table of tables) {
    const ends = endsWithKey.includes(table)
    if (sealedTables[table].by !== 'api' || ends) continue
    const where = sql<boolean>`split_part(seal, '.', 1) = any(${retiring}::text[])`
    const isWanted = (row: SealableRow): boolean => before.holds(table, row)
    count += await sealTable(inUnit, table, { where, isWanted })
  }
  return count
}

const endsWithKey: readonly SealedTable[] = [
  'session',
  'sign_in_link',
  'push_subscription',
  'passkey_challenge',
  'slack_link_code',
]

/** How many rows are verified and sealed between two statements. It takes a third of a second. */
const rowsAtOnce = 2000

interface RowToSeal {
  readonly row: JsonRow
  /** the people behind a request; `null`: of another table */
  readonly principals: Parameters<typeof principalsDigest>[0] | null
}

interface RowsToSeal {
  readonly where: RawBuilder<boolean>
  /** `digest`: of the people behind a request, as they are now */
  readonly isWanted: (row: SealableRow, digest: string | null) => boolean
}

/**
 * Seals rows in parts: Postgres ends a transaction that sends no statement for long, and a process
 * ends whose event loop is blocked. Returns how many.
 */
async function sealTable(
  inUnit: InUnit,
  table: SealedTable,
  selection: RowsToSeal,
): Promise<number> {
  let count = 0
  for (let after: JsonRow | null = null; ;) {
    const from: JsonRow | null = after
    const part: SealedPart = await inUnit((unit) => sealPart(unit, table, selection, from))
    count += part.count
    if (part.last === null) return count
    after = part.last
  }
}

interface SealedPart {
  readonly count: number
  /** the key of its last row; `null`: no rows follow */
  readonly last: JsonRow | null
}

/**
 * Seals the rows of a part, which are locked, so that nobody changes them before their seal is
 * stored.
 */
async function sealPart(
  { tx, seals }: UnitOfWork,
  table: SealedTable,
  { where, isWanted }: RowsToSeal,
  after: JsonRow | null,
): Promise<SealedPart> {
  const { key } = living[table]
  const keys = sql.join(key.map((name) => sql.ref(name)))
  const isAfter =
    after === null
      ? sql`true`
      : sql`(${keys}) > (select ${keys} from jsonb_populate_record(null::${sql.table(table)}, ${toJsonb(after)}))`
  const { rows } = await sql<RowToSeal>`
    select row_to_json(${sql.table(table)}.*)::jsonb as row, ${table === 'request' ? principalsOf : sql`null`} as principals
    from ${sql.table(table)} where ${where} and ${isAfter}
    order by ${keys} limit ${sql.lit(rowsAtOnce)} for no key update
  `.execute(tx)
  const adopted = rows.flatMap(({ row, principals }) => {
    const read = fromJsonRow<SealableRow>(row)
    const until = typeof read['until'] === 'string' ? new Date(read['until']) : read['until']
    const fullRow = { ...read, until }
    const digest: { principals_digest?: string } =
      principals === null ? {} : { principals_digest: principalsDigest(principals) }
    if (!isWanted(fullRow, digest.principals_digest ?? null)) return []
    return [{ ...pick(row, key), ...digest, seal: seals.of(table, { ...fullRow, ...digest }) }]
  })
  if (adopted.length > 0) await store(tx, table, key, adopted)
  const last = rows.length < rowsAtOnce ? undefined : rows.at(-1)
  return { count: adopted.length, last: last === undefined ? null : pick(last.row, key) }
}

const principalsOf = sql`(
  select coalesce(jsonb_agg(jsonb_build_object('personId', person_id, 'why', why)), '[]')
  from request_principal where request_id = request.id)`

async function store(
  tx: Tx,
  table: SealedTable,
  key: readonly string[],
  adopted: readonly object[],
): Promise<void> {
  const values = sql`jsonb_populate_recordset(null::${sql.table(table)}, ${toJsonb(adopted)})`
  const matches = sql.join(
    key.map((name) => sql`${sql.ref(`${table}.${name}`)} = ${sql.ref(`adopted.${name}`)}`),
    sql` and `,
  )
  const digest = table === 'request' ? sql`, principals_digest = adopted.principals_digest` : sql``
  await sql`update ${sql.table(table)} set seal = adopted.seal ${digest} from ${values} as adopted where ${matches}`.execute(
    tx,
  )
}

function pick(row: JsonRow, names: readonly string[]): JsonRow {
  return Object.fromEntries(names.map((name) => [name, row[name]]))
}

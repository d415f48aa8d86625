import { sql } from 'kysely'
import { isAhead } from '../connection/is-ahead.ts'
import type { Db } from '../database.ts'
import type { StoredCheckpoint } from './audit-log.ts'

/** A witness of the log: `id` is name and hash of its key, `name` its name in the configuration. */
export interface WitnessName {
  readonly id: string
  readonly name: string
}

/** Deletes the state of witnesses that are no longer configured; their cosignatures stay. */
export async function forgetOtherWitnesses(db: Db, ids: readonly string[]): Promise<void> {
  await sql`delete from audit_witness where not witness = any(${ids}::text[])`.execute(db)
}

/**
 * Leases a witness for `leaseMs`. `null` when another process holds it or it is not due yet;
 * otherwise the number of its failures in a row. `maxAheadMs`: of its leases and pauses.
 */
export async function leaseWitness(
  db: Db,
  { id, name }: WitnessName,
  { leaseMs, maxAheadMs }: { readonly leaseMs: number; readonly maxAheadMs: number },
): Promise<{ readonly failures: number } | null> {
  const max = sql<number>`${maxAheadMs}::float8`
  const until = sql`clock_timestamp() + ${leaseMs}::float8 * interval '1 millisecond'`
  const { rows } = await sql<{ failures: number }>`
    insert into audit_witness (witness, name, leased_until) values (${id}, ${name}, ${until})
    on conflict (witness) do update set leased_until = excluded.leased_until, name = excluded.name
      where not coalesce(${isAhead('audit_witness.leased_until', max)}, false)
        and not ${isAhead('audit_witness.next_at', max)}
    returning failures
  `.execute(db)
  return rows[0] ?? null
}

/**
 * Ends the lease; the witness is due again after `pauseMs`. `problem`: why it did not cosign;
 * `null`: it did.
 */
export async function releaseWitness(
  db: Db,
  id: string,
  outcome: {
    readonly pauseMs: number
    readonly problem: string | null
    /** it has another history of the log */
    readonly isContradicted: boolean
  },
): Promise<void> {
  const { pauseMs, problem, isContradicted } = outcome
  await sql`
    update audit_witness set leased_until = null, problem = ${problem},
      next_at = clock_timestamp() + ${pauseMs}::float8 * interval '1 millisecond',
      failures = case when ${problem}::text is null then 0 else failures + 1 end,
      contradicted_at = case when ${problem}::text is null then null
        when ${isContradicted} then coalesce(contradicted_at, clock_timestamp())
        else contradicted_at end
    where witness = ${id}
  `.execute(db)
}

/** Keeps a witness's signature line for the checkpoint of `size` events; the first one stays. */
export async function writeCosignature(
  db: Db,
  cosignature: {
    readonly size: number
    readonly id: string
    readonly line: string
    readonly cosignedAt: Date
  },
): Promise<void> {
  const { size, id, line, cosignedAt } = cosignature
  await db
    .insertInto('audit_cosignature')
    .values({ size: String(size), witness: id, line, cosigned_at: cosignedAt })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The largest size that a witness cosigned; 0 when none. */
export async function readCosignedSize(db: Db, id: string): Promise<number> {
  const row = await db
    .selectFrom('audit_cosignature')
    .select('size')
    .where('witness', '=', id)
    .orderBy('size', 'desc')
    .limit(1)
    .executeTakeFirst()
  return Number(row?.size ?? 0)
}

/** By size of a checkpoint: the lines that witnesses signed it with. */
export async function readCosignatures(
  db: Db,
  sizes: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const { rows } = await sql<{ size: string; lines: string[] }>`
    select size, array_agg(line order by witness) as lines from audit_cosignature
    where size = any(${sizes.map(String)}::bigint[]) group by size
  `.execute(db)
  return new Map(rows.map(({ size, lines }) => [Number(size), lines]))
}

/** Notes of the checkpoints of these sizes, as the log signed them; the largest first. */
export async function readNotes(db: Db, sizes: readonly number[]): Promise<StoredCheckpoint[]> {
  if (sizes.length === 0) return []
  const rows = await db
    .selectFrom('audit_checkpoint')
    .select(['size', 'note'])
    .where('size', 'in', sizes.map(String))
    .orderBy('size', 'desc')
    .execute()
  return rows.map(({ size, note }) => ({ size: Number(size), note }))
}

/** How far a configured witness has cosigned, and its present problem. */
export interface WitnessStatus {
  readonly name: string
  /** the largest checkpoint that it cosigned; 0: none */
  readonly size: number
  /** when it last cosigned, by its own clock; `null`: never */
  readonly cosignedAt: Date | null
  /**
   * age of the oldest checkpoint for which it has cosigned neither that one nor a larger one; 0 if
   * there is none
   */
  readonly lagMs: number
  readonly problem: string | null
  /** it has another history of the log than this database */
  readonly isContradicted: boolean
}

/** The status of every witness that is configured and was asked, by name. */
export async function readWitnesses(db: Db): Promise<WitnessStatus[]> {
  const { rows } = await sql<{
    name: string
    size: string | null
    cosigned_at: Date | null
    lag: number | null
    problem: string | null
    contradicted: boolean
  }>`
    select witness.name, newest.size, newest.cosigned_at, witness.problem,
      witness.contradicted_at is not null as contradicted,
      (select (extract(epoch from clock_timestamp() - at) * 1000)::float8 from audit_checkpoint
        where size > coalesce(newest.size, -1) order by size limit 1) as lag
    from audit_witness witness left join lateral (
      select size, cosigned_at from audit_cosignature
      where witness = witness.witness order by size desc limit 1
    ) newest on true
    order by witness.name
  `.execute(db)
  return rows.map((row) => ({
    name: row.name,
    size: Number(row.size ?? 0),
    cosignedAt: row.cosigned_at,
    lagMs: Math.max(0, Math.round(row.lag ?? 0)),
    problem: row.problem,
    isContradicted: row.contradicted,
  }))
}

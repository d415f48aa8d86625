import { sql } from 'kysely'
import type { Db, Tx } from '#store/database.ts'
import type { Memory } from '../core/ledger.ts'

/** The epoch of an installation that nobody has repaired; its data folder knows 0. */
const firstEpoch = 1
/** No number of repairs reaches it. */
const maxEpoch = 1_000_000

/** What this host remembers of epochs, and the id of its Temporal namespace. */
interface OfHost {
  readonly memory: Pick<Memory, 'epoch'>
  readonly namespaceId: string
}

/**
 * Throws one sentence for an epoch that only SQL can have written. To accept it would leave no
 * number for the next ones, and the data folder never forgets it.
 */
export async function refuseForgedEpoch(db: Db | Tx, memory: Pick<Memory, 'epoch'>): Promise<void> {
  const { epoch } = await db.selectFrom('installation').select('epoch').executeTakeFirstOrThrow()
  const newest = memory.epoch()
  if (epoch <= Math.max(maxEpoch, newest)) return
  throw new Error(
    `the row of the table installation says that the epoch is ${epoch}, and this data folder knows ${newest}: ` +
      `somebody changed the row. Find out who, set its epoch to ${Math.max(newest, firstEpoch)} with SQL, and repair again`,
  )
}

/**
 * Accepts a database without an event: no permit and no execution of it could run again. Its epoch
 * becomes that of the data folder, which refuses permits of lower ones.
 */
export async function acceptEmptied(db: Db, { memory, namespaceId }: OfHost): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await refuseForgedEpoch(tx, memory)
    await tx
      .updateTable('installation')
      .set({
        epoch: sql<number>`greatest(epoch, ${memory.epoch()}::int)`,
        namespace_id: namespaceId,
        restored_at: null,
      })
      .execute()
  })
}

/**
 * Calls of runs that may have run in lost rows, and that a repair makes outcome checks: their
 * permit or their start is of an earlier epoch than the installation's.
 */
export async function uncertainCalls(db: Db): Promise<string[]> {
  const { rows } = await sql<{ call_id: string }>`
    select call_id from execution, installation
    where execution.state = 'started' and execution.epoch < installation.epoch
      -- A delegation's effect is its run, which was restored with it.
      and not exists (select from run where run.id::text = execution.detail->>'childRunId')
    union
    select call_id from permit, installation
    where permit.state = 'live' and call_id is not null and permit.epoch < installation.epoch
  `.execute(db)
  return rows.map((row) => row.call_id)
}

/**
 * Whether it is proved that nothing is left to repair: Temporal is the right one, no earlier repair
 * was interrupted, and this host accepts permits of the present epoch.
 */
export async function isReconciled(db: Db, { memory, namespaceId }: OfHost): Promise<boolean> {
  const { rows } = await sql<{ isCurrent: boolean }>`
    select coalesce(namespace_id = ${namespaceId}, false) and epoch >= ${memory.epoch()}::int
      as "isCurrent"
    from installation
  `.execute(db)
  return rows[0]?.isCurrent === true && (await uncertainCalls(db)).length === 0
}

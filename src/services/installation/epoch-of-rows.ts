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
 * Whether it is proved that nothing is left to repair: Temporal is the right one, no earlier repair
 * was interrupted, and this host accepts permits of the present epoch.
 */
export async function isReconciled(db: Db, { memory, namespaceId }: OfHost): Promise<boolean> {
  const { rows } = await sql<{ reconciled: boolean }>`
    select coalesce(namespace_id = ${namespaceId}, false) and epoch >= ${memory.epoch()}::int
      and not exists (select from permit where state = 'live' and epoch < installation.epoch)
      and not exists (select from execution where state = 'started' and epoch < installation.epoch)
      as reconciled
    from installation
  `.execute(db)
  return rows[0]?.reconciled === true
}

import type { Db, Tx } from './database.ts'

/** The key that signs the log, as stored. */
export interface StoredLogKey {
  /** `name+hash+base64` */
  readonly vkey: string
}

/** The newest key of the log; `null` before the first is stored. */
export async function readLogKey(db: Db | Tx): Promise<StoredLogKey | null> {
  const row = await db
    .selectFrom('installation_key')
    .select('vkey')
    .where('kind', '=', 'log')
    .orderBy('since', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined || row.vkey === null ? null : { vkey: row.vkey }
}

/** The signed notes by which the log's keys replaced each other, oldest first. */
export async function readHandovers(db: Db | Tx): Promise<string[]> {
  const rows = await db
    .selectFrom('installation_key')
    .select('handover')
    .where('kind', '=', 'log')
    .where('handover', 'is not', null)
    .orderBy('since')
    .execute()
  return rows.flatMap(({ handover }) => handover ?? [])
}

/** Stores a key of the log; false when it is stored already. */
export async function storeLogKey(
  tx: Db | Tx,
  key: { readonly keyId: string; readonly vkey: string; readonly handover: string | null },
): Promise<boolean> {
  const insertion = await tx
    .insertInto('installation_key')
    .values({ kind: 'log', key_id: key.keyId, vkey: key.vkey, handover: key.handover })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key_id')
    .executeTakeFirst()
  return insertion !== undefined
}

import type { Db } from '#store/database.ts'

/** The present Temporal is not the one of this installation. The message says what to do. */
export class ForeignNamespaceError extends Error {
  override readonly name = 'ForeignNamespaceError'

  constructor(expected: string, actual: string) {
    super(
      `This Temporal namespace (id ${actual}) is not the one this installation belongs to (id ${expected}): ` +
        'it was emptied, or the address leads to another server. Nothing was changed. ' +
        'Point TEMPORAL_ADDRESS at the right server, or accept this one with: countersign doctor --repair',
    )
  }
}

/**
 * Stores the namespace's id at the first start and compares it at every later one (architecture.md,
 * never more certain than the facts). Rejects with `ForeignNamespaceError`, without a change, when
 * it is another one.
 */
export async function rememberNamespace(db: Db, namespaceId: string): Promise<void> {
  await db
    .updateTable('installation')
    .set({ namespace_id: namespaceId })
    .where('namespace_id', 'is', null)
    .execute()
  const { namespace_id: expected } = await db
    .selectFrom('installation')
    .select('namespace_id')
    .executeTakeFirstOrThrow()
  if (expected !== null && expected !== namespaceId) {
    throw new ForeignNamespaceError(expected, namespaceId)
  }
}

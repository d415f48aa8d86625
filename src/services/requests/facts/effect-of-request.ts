import type { Tx } from '#store/database.ts'

/** What a request would do in one sentence; its title where it has no other sentence. */
export async function effectOfRequest(
  tx: Tx,
  request: { readonly id: string; readonly revision: number; readonly title: string },
): Promise<string> {
  const revision = await tx
    .selectFrom('request_revision')
    .select('effect')
    .where('request_id', '=', request.id)
    .where('revision', '=', request.revision)
    .executeTakeFirst()
  return revision?.effect ?? request.title
}

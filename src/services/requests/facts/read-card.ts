import type { Presentation } from '#domain/tools/presentation.ts'
import { getText } from '#store/content/content.ts'
import type { Tx } from '#store/database.ts'

/** What people saw of the newest revision of a request. */
export interface RequestCard {
  /** what it would do, in one sentence; its title where it has no other sentence */
  readonly effect: string
  readonly presentation: Presentation
}

/** Reads what people saw of a request, as it was stored when its revision was made. */
export async function readCard(
  tx: Tx,
  request: { readonly id: string; readonly revision: number; readonly title: string },
): Promise<RequestCard> {
  const { effect, presentation_hash } = await tx
    .selectFrom('request_revision')
    .select(['effect', 'presentation_hash'])
    .where('request_id', '=', request.id)
    .where('revision', '=', request.revision)
    .executeTakeFirstOrThrow()
  const presentation = JSON.parse(await getText(tx, presentation_hash)) as Presentation
  return { effect: effect ?? request.title, presentation }
}

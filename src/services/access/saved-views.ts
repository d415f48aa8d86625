import { newId } from '#domain/new-id.ts'
import type { SavedViewBody } from '#api/schemas/access/saved-views.ts'
import { Problem } from '#domain/problem.ts'
import { maxSavedViews } from '#domain/saved-view.ts'
import { bySelf } from '../core/authority.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { inUnitOfWork, type JudgingContext } from '../core/unit-of-work.ts'
import type { RecordOf } from '../core/record-of.ts'
import { lockPerson } from './find-active-person.ts'

/** A page's filters under a name. `query`: of the page's address, without the `?`. */
export type SavedView = RecordOf<SavedViewBody>

const onlyPeople = 'Only people can save views'

/** The caller's views of every page, in the order of their names. Rejects keys: `forbidden`. */
export async function listSavedViews(ctx: ServiceContext, caller: Caller): Promise<SavedView[]> {
  const { actor } = bySelf(caller, onlyPeople)
  return ctx.db
    .selectFrom('saved_view')
    .select(['id', 'page', 'name', 'query'])
    .where('person_id', '=', actor.id)
    .orderBy('page')
    .orderBy('name')
    .execute()
}

/**
 * Stores a view for the caller alone, in place of one with the same page and name. It shows nothing
 * that its owner may not see anyway, so the trail has no event for it. Rejects API keys with
 * `forbidden`, and views beyond `maxSavedViews` with `conflict`.
 */
export async function saveView(
  ctx: ServiceContext,
  caller: Caller,
  { page, name, query }: Omit<SavedView, 'id'>,
): Promise<SavedView> {
  const authority = bySelf(caller, onlyPeople)
  const personId = authority.actor.id
  // Saves of one person run one after the other, so that the count holds.
  const judge = async (at: JudgingContext) => {
    await lockPerson(at, personId)
    return { authority }
  }
  return inUnitOfWork(ctx, judge, async ({ tx }) => {
    const views = await tx
      .selectFrom('saved_view')
      .select('name')
      .where('person_id', '=', personId)
      .where('page', '=', page)
      .execute()
    if (views.length >= maxSavedViews && !views.some((view) => view.name === name)) {
      const detail = `You have ${maxSavedViews} views of this page: remove one first`
      throw new Problem('conflict', detail)
    }
    return tx
      .insertInto('saved_view')
      .values({ id: newId(), person_id: personId, page, name, query })
      .onConflict((conflict) =>
        conflict.columns(['person_id', 'page', 'name']).doUpdateSet({ query }),
      )
      .returning(['id', 'page', 'name', 'query'])
      .executeTakeFirstOrThrow()
  })
}

/** Removes one of the caller's views. Rejects with `not_found` for anybody else's. */
export async function removeSavedView(
  ctx: ServiceContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const authority = bySelf(caller, onlyPeople)
  await inUnitOfWork(ctx, authority, async ({ tx }) => {
    const removed = await tx
      .deleteFrom('saved_view')
      .where('id', '=', id)
      .where('person_id', '=', authority.actor.id)
      .executeTakeFirst()
    if (removed.numDeletedRows === 0n) throw new Problem('not_found', 'You have no such view')
  })
}

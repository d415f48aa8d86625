import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { keysBefore, pageFrom, pageSize, type Page, type PageInput } from '../core/pages.ts'

export interface PersonRecord {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly teams: readonly string[]
  readonly disabledAt: Date | null
}

/**
 * Lists everybody whom the project names or once named, by address; with an `id` only that person.
 * People see each other; an API key sees nobody.
 */
export async function listPeople(
  ctx: ServiceContext,
  caller: Caller,
  page: PageInput & { readonly id?: string },
): Promise<Page<PersonRecord>> {
  if (caller.actor.type !== 'person') throw new Problem('forbidden', 'Only people can list people')
  const [after] = keysBefore(page, 'people', ['text']) ?? []
  let query = ctx.db
    .selectFrom('person')
    .select(['id', 'email', 'name', 'disabled_at as disabledAt'])
    .select(
      sql<
        string[]
      >`array(select team from team_member where person_id = person.id order by team)`.as('teams'),
    )
    .orderBy('email')
    .limit(pageSize(page) + 1)
  if (page.id !== undefined) query = query.where('id', '=', page.id)
  if (after !== undefined) query = query.where('email', '>', after)
  return pageFrom(await query.execute(), page, 'people', ({ email }) => [email])
}

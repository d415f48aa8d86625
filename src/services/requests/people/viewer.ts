import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { rightsOfEmail } from '../../core/rights-of.ts'

/** A reader: a person, or the owner of a key. `managesRuns`: has the right `manageRuns`. */
export interface Viewer {
  readonly personId: string
  readonly managesRuns: boolean
  /** their present teams; absent: each query looks them up, and lists are planned worse */
  readonly teams?: readonly string[]
}

/**
 * The viewer behind a caller. A key sees what its owner sees (security.md 22). Rejects other
 * callers with `forbidden`: the service's own parts read the store, not these lists.
 */
export async function viewerOf(ctx: ServiceContext, caller: Caller): Promise<Viewer> {
  const personId = personBehind(caller)
  const { rows } = await sql<{ email: string | null; teams: string[] }>`
    select case when disabled_at is null then email end as email,
      array(select team from team_member where person_id = person.id) as teams
    from person where id = ${personId}
  `.execute(ctx.db)
  const [row] = rows
  const rights = await rightsOfEmail(ctx, row?.email ?? null)
  return { personId, managesRuns: rights.has('manageRuns'), teams: row?.teams ?? [] }
}

/** The calling person, or the owner of the calling key. */
export function personBehind(caller: Caller): string {
  const { actor } = caller
  if (actor.type === 'person') return actor.id
  if (actor.type === 'machine') return actor.ownerId
  throw new Problem('forbidden', 'Only people and API keys can read requests and runs')
}

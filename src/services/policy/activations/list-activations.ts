import type { Actor } from '#domain/actor.ts'
import type { Db } from '#store/database.ts'
import type { ServiceContext } from '../../core/context.ts'
import { keysBefore, pageFrom, pageSize, type Page, type PageInput } from '../../core/pages.ts'
import type { PersonRef } from '../../requests/facts/request-record.ts'
import { verifyActivation } from './verify-activation.ts'

/** One time that a version took force. */
export interface ActivationRecord {
  readonly sequence: number
  readonly digest: string
  readonly previousDigest: string | null
  readonly activatedAt: Date
  /** who brought it about: the last of the people, or the system */
  readonly actor: Actor
  /** who agreed, the first one first; none when the system did it */
  readonly people: readonly PersonRef[]
  /** where the files came from, as a claim */
  readonly note: string | null
}

/**
 * Activations, newest first. Rows that nobody signed are left out. Rejects with `invalid_request`
 * for a made-up cursor.
 */
export async function listActivations(
  ctx: ServiceContext,
  page: PageInput,
): Promise<Page<ActivationRecord>> {
  let query = ctx.db
    .selectFrom('policy_activation')
    .select(['sequence', 'digest', 'statement', 'signature', 'key_id', 'actor', 'note'])
    .orderBy('sequence', 'desc')
    .limit(pageSize(page) + 1)
  const [last] = keysBefore(page, 'activation', ['number']) ?? []
  if (last !== undefined) query = query.where('sequence', '<', Number(last))
  const signedPage = pageFrom(await query.execute(), page, 'activation', ({ sequence }) => [
    String(sequence),
  ])
  const signed = signedPage.items.flatMap((row) => {
    const statement = verifyActivation(ctx.verifier, row)
    return statement === null ? [] : [{ row, statement }]
  })
  const names = await namesOf(
    ctx.db,
    signed.flatMap(({ statement }) => statement.people ?? []),
  )
  const items = signed.map(({ row, statement }) => ({
    sequence: row.sequence,
    digest: row.digest,
    previousDigest: statement.previousDigest,
    activatedAt: new Date(statement.activatedAt),
    actor: row.actor,
    people: (statement.people ?? []).flatMap((id) => names.filter((person) => person.id === id)),
    note: row.note,
  }))
  return { items, nextCursor: signedPage.nextCursor }
}

/** People by their ids, in that order; each once. */
export async function namesOf(db: Db, ids: readonly string[]): Promise<readonly PersonRef[]> {
  const unique = [...new Set(ids)]
  if (unique.length === 0) return []
  const rows = await db
    .selectFrom('person')
    .select(['id', 'name'])
    .where('id', 'in', unique)
    .execute()
  return unique.flatMap((id) => rows.filter((row) => row.id === id))
}

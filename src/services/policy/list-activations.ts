import type { Actor } from '../../domain/actor.ts'
import { limits } from '../../domain/limits.ts'
import { Problem } from '../../domain/problem.ts'
import type { Db } from '../../store/database.ts'
import { decodeCursor, encodeCursor } from '../../store/paging/keyset.ts'
import type { ServiceContext } from '../context.ts'
import type { PersonRef } from '../requests/request-record.ts'
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

/** Activations, newest first. Rows that nobody signed are left out. Rejects with `invalid_request` for a made-up cursor. */
export async function listActivations(
  ctx: ServiceContext,
  page: { readonly cursor?: string; readonly limit?: number },
): Promise<{ readonly items: readonly ActivationRecord[]; readonly nextCursor: string | null }> {
  const limit = page.limit ?? limits.listDefault
  let query = ctx.db
    .selectFrom('policy_activation')
    .select(['sequence', 'digest', 'statement', 'signature', 'key_id', 'actor', 'note'])
    .orderBy('sequence', 'desc')
    .limit(limit + 1)
  if (page.cursor !== undefined) {
    const keys = decodeCursor(page.cursor, 'activation', ['number'])
    if (keys === null) throw new Problem('invalid_request', 'cursor: is not one of this list')
    query = query.where('sequence', '<', Number(keys[0]))
  }
  const rows = await query.execute()
  const shown = rows.slice(0, limit)
  const signed = shown.flatMap((row) => {
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
    people: (statement.people ?? []).flatMap((id) => names.filter((one) => one.id === id)),
    note: row.note,
  }))
  const last = shown.at(-1)
  const isMore = rows.length > limit && last !== undefined
  return { items, nextCursor: isMore ? encodeCursor('activation', [String(last.sequence)]) : null }
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

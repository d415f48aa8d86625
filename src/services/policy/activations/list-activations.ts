import type { PolicyActivation } from '#api/schemas/policy/policy.ts'
import type { Db } from '#store/database.ts'
import type { ServiceContext } from '../../core/context.ts'
import { keysBefore, pageFrom, pageSize, type Page, type PageInput } from '../../core/pages.ts'
import type { PersonRef } from '../../requests/facts/request-record.ts'
import { verifyActivation } from './verify-activation.ts'
import type { RecordOf } from '../../core/record-of.ts'

/** One activation of a version. */
export type ActivationRecord = RecordOf<PolicyActivation>

/**
 * Lists activations, newest first, without unsigned rows. Rejects with `invalid_request` for an
 * invalid cursor.
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
  const activations = signedPage.items.flatMap((row) => {
    const statement = verifyActivation(ctx.verifier, row)
    return statement === null ? [] : [{ row, statement }]
  })
  const names = await peopleWithIds(
    ctx.db,
    activations.flatMap(({ statement }) => statement.people ?? []),
  )
  const items = activations.map(({ row, statement }) => ({
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

/** The people with these ids, in that order, each once. */
export async function peopleWithIds(db: Db, ids: readonly string[]): Promise<readonly PersonRef[]> {
  const unique = [...new Set(ids)]
  if (unique.length === 0) return []
  const rows = await db
    .selectFrom('person')
    .select(['id', 'name'])
    .where('id', 'in', unique)
    .execute()
  return unique.flatMap((id) => rows.filter((row) => row.id === id))
}

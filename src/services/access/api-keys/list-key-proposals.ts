import type { ApiKeyScope } from '#domain/api-key-scope.ts'
import { sql } from 'kysely'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { keysBefore, pageFrom, pageSize, type Page, type PageInput } from '../../core/pages.ts'
import { personBehind } from '../../requests/people/viewer.ts'
import type { KeyProposal } from './api-key.ts'
import { hasRight } from '../../core/rights-of.ts'
import type { Db, Tx } from '#store/database.ts'

/**
 * Lists keys that wait to be claimed, newest first: those proposed to or by the caller, or all of
 * them for callers with the right `managePeople`.
 */
export async function listKeyProposals(
  ctx: ServiceContext,
  caller: Caller,
  page: PageInput,
): Promise<Page<KeyProposal>> {
  const [at, id] = keysBefore(page, 'key proposals', ['instant', 'text']) ?? []
  let query = proposals(ctx.db)
    .orderBy('proposal.created_at', 'desc')
    .orderBy('proposal.id', 'desc')
    .limit(pageSize(page) + 1)
  if (at !== undefined) {
    query = query.where(
      sql<boolean>`(proposal.created_at, proposal.id) < (${at}::timestamptz, ${id}::uuid)`,
    )
  }
  if (!(await hasRight(ctx, caller.actor, 'managePeople'))) {
    const own = personBehind(caller)
    query = query.where(({ eb, or }) =>
      or([eb('proposal.owner_id', '=', own), eb('proposal.proposed_by', '=', own)]),
    )
  }
  const { items, nextCursor } = pageFrom(await query.execute(), page, 'key proposals', (row) => [
    row.key_at,
    row.id,
  ])
  return { items: items.map(proposalOf), nextCursor }
}

/**
 * Proposals that can still be claimed, with the people they name. Those of a disabled proposer are
 * left out.
 */
export function proposals(db: Db | Tx) {
  return db
    .selectFrom('api_key_proposal as proposal')
    .innerJoin('person as owner', 'owner.id', 'proposal.owner_id')
    .innerJoin('person as proposer', 'proposer.id', 'proposal.proposed_by')
    .select(['proposal.id', 'proposal.name', 'proposal.scopes', 'proposal.key_expires_at'])
    .select(['proposal.created_at', 'proposal.expires_at'])
    .select(['owner.id as owner_id', 'owner.name as owner_name', 'owner.email as owner_email'])
    .select(['proposer.id as proposer_id', 'proposer.name as proposer_name'])
    .select('proposer.email as proposer_email')
    .select(sql<string>`proposal.created_at::text`.as('key_at'))
    .where('proposal.expires_at', '>', sql<Date>`clock_timestamp()`)
    .where('proposer.disabled_at', 'is', null)
}

type Row = Awaited<ReturnType<ReturnType<typeof proposals>['executeTakeFirstOrThrow']>>

/** A row of `proposals` as its readers get it. */
export function proposalOf(row: Row): KeyProposal {
  return {
    id: row.id,
    name: row.name,
    owner: { id: row.owner_id, name: row.owner_name, email: row.owner_email },
    proposedBy: { id: row.proposer_id, name: row.proposer_name, email: row.proposer_email },
    scopes: row.scopes as ApiKeyScope[],
    keyExpiresAt: row.key_expires_at,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

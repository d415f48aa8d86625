import { sql, type Selectable } from 'kysely'
import { newId } from '#domain/new-id.ts'
import { Problem } from '#domain/problem.ts'
import type { ProposalStatement } from '#domain/statements/statement.ts'
import {
  signStatement,
  signedStatementOf,
  verifyStatement,
  type Verifier,
} from '#domain/statements/statement-bytes.ts'
import type { Policy } from '#policy/policy.ts'
import type { Db, Tx } from '#store/database.ts'
import type { PolicyProposalTable } from '#store/tables/policy.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'
import { policyDifference } from './policy-difference.ts'
import { storeVersion } from './store-activation.ts'

/** How long a proposal waits for a second person. */
const waitsHours = 72

export interface Proposal extends Selectable<PolicyProposalTable> {
  /** it has expired, whatever the state in its row */
  readonly isOver: boolean
}

/**
 * The proposal that waits, if there is one. An unsigned row does not count, nor does one that was
 * withdrawn or activated and that SQL opened again; with the activation lock it cannot change.
 */
export async function openProposal(
  db: Db | Tx,
  { seals, verifier }: Pick<UnitOfWork, 'seals' | 'verifier'>,
): Promise<Proposal | null> {
  const row = await db
    .selectFrom('policy_proposal')
    .selectAll()
    .select(sql<boolean>`expires_at <= clock_timestamp()`.as('isOver'))
    .where('state', '=', 'open')
    .executeTakeFirst()
  if (row === undefined || !isSigned(verifier, row)) return null
  return seals.revocations.has({ what: 'policy_proposal', id: row.id }) ? null : row
}

function isSigned(verifier: Verifier, row: Selectable<PolicyProposalTable>): boolean {
  const signedProposal = signedStatementOf(row)
  const statement = verifyStatement<ProposalStatement>(verifier, 'proposal', signedProposal)
  return (
    statement !== null &&
    statement.version === 1 &&
    statement.proposalId === row.id &&
    statement.policyDigest === row.digest &&
    statement.previousDigest === row.previous_digest &&
    statement.proposedBy === row.proposed_by &&
    statement.expiresAt === row.expires_at.toISOString()
  )
}

/** Opens a person's proposal in place of a waiting one, and audits `policy.proposed`. */
export async function propose(
  unit: UnitOfWork,
  ctx: SigningContext,
  caller: Caller & { readonly actor: { readonly type: 'person' } },
  version: { readonly policy: Policy; readonly before: Policy; readonly note: string | null },
): Promise<Proposal> {
  const { policy, before, note } = version
  await storeVersion(unit.tx, policy)
  // Rows that do not count would occupy the place of the one that may wait.
  await unit.tx.deleteFrom('policy_proposal').where('state', '=', 'open').execute()
  const clock = await sql<{ until: Date }>`
    select date_trunc('milliseconds', clock_timestamp() + make_interval(hours => ${waitsHours})) as until
  `.execute(unit.tx)
  const until = clock.rows[0]?.until ?? new Date(Number.NaN)
  const statement: ProposalStatement = {
    version: 1,
    proposalId: newId(),
    policyDigest: policy.digest,
    previousDigest: before.digest,
    proposedBy: caller.actor.id,
    expiresAt: until.toISOString(),
  }
  const signedProposal = signStatement(ctx.signer, 'proposal', statement)
  const row = await unit.tx
    .insertInto('policy_proposal')
    .values({
      id: statement.proposalId,
      digest: policy.digest,
      previous_digest: before.digest,
      proposed_by: caller.actor.id,
      note,
      statement: signedProposal.statement,
      signature: signedProposal.signature,
      key_id: signedProposal.keyId,
      expires_at: until,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await unit.audit({
    type: 'policy.proposed',
    policyDigest: policy.digest,
    detail: {
      proposalId: row.id,
      previousDigest: before.digest,
      note,
      ...policyDifference(before, policy),
    },
  })
  return { ...row, isOver: false }
}

/**
 * Ends a proposal for good. One that was not activated is audited as `policy.withdrawn`; else its
 * id is in `policy.activated`.
 */
export async function endProposal(
  unit: UnitOfWork,
  caller: Caller,
  proposal: Pick<Proposal, 'id' | 'digest'>,
  state: 'activated' | 'cancelled' | 'superseded' | 'expired',
): Promise<void> {
  const row = await unit.tx
    .updateTable('policy_proposal')
    .set({
      state,
      ended_at: sql`clock_timestamp()`,
      ended_by: caller.actor.type === 'person' ? caller.actor.id : null,
    })
    .where('id', '=', proposal.id)
    .where('state', '=', 'open')
    .returning('id')
    .executeTakeFirst()
  if (row === undefined) throw new Problem('conflict', 'This proposal is no longer open')
  unit.revoke('policy_proposal', [row.id])
  if (state === 'activated') return
  await unit.audit({
    type: 'policy.withdrawn',
    policyDigest: proposal.digest,
    detail: { proposalId: proposal.id, why: state },
  })
}

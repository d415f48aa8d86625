import type { PolicyState as PolicyStateView } from '#api/schemas/policy/policy.ts'
import type { Actor } from '#domain/actor.ts'
import type { Policy } from '#policy/policy.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { folderState, type FolderState } from './folder-state.ts'
import { openProposal } from './open-proposal.ts'
import { newestActivation } from './activations/newest-activation.ts'
import { peopleWithIds, type ActivationRecord } from './activations/list-activations.ts'
import { hasRight } from '../core/rights-of.ts'
import type { RecordOf } from '../core/record-of.ts'

export interface PolicyState {
  readonly policy: Policy
  /** `null` only while somebody activates at this very moment */
  readonly activation: ActivationRecord | null
  /** the content of the project folder now; `null` without the right `activatePolicy` */
  readonly folder: FolderState | null
  readonly proposal: ProposalRecord | null
}

/** A version that waits for a second person. */
export type ProposalRecord = RecordOf<NonNullable<PolicyStateView['proposal']>>

/**
 * Reads which version is in force and since when; for holders of `activatePolicy` also the folder,
 * with every problem of an invalid one, and the proposal that waits for a second person.
 */
export async function readPolicyState(
  ctx: ServiceContext,
  caller: Caller,
  projectDir: string,
): Promise<PolicyState> {
  const policy = await ctx.policies.inForce()
  const { digest } = policy
  const activation = await activationOf(ctx, digest)
  if (!(await hasRight(ctx, caller.actor, 'activatePolicy'))) {
    return { policy, activation, folder: null, proposal: null }
  }
  const folder = await folderState(ctx.db, digest, projectDir)
  return { policy, activation, folder, proposal: await proposalOf(ctx, caller, digest, folder) }
}

async function activationOf(ctx: ServiceContext, digest: string): Promise<ActivationRecord | null> {
  const { statement } = await newestActivation(ctx.db, ctx.verifier)
  if (statement?.policyDigest !== digest) return null
  const row = await ctx.db
    .selectFrom('policy_activation')
    .select(['actor', 'note'])
    .where('sequence', '=', statement.sequence)
    .executeTakeFirst()
  const people = await peopleWithIds(ctx.db, statement.people ?? [])
  const actor: Actor = row?.actor ?? { type: 'system' }
  return {
    sequence: statement.sequence,
    digest,
    previousDigest: statement.previousDigest,
    activatedAt: new Date(statement.activatedAt),
    actor,
    people,
    note: row?.note ?? null,
  }
}

async function proposalOf(
  ctx: ServiceContext,
  caller: Caller,
  inForce: string,
  folder: FolderState,
): Promise<ProposalRecord | null> {
  const open = await openProposal(ctx.db, ctx)
  if (open === null || open.isOver) return null
  const [proposedBy] = await peopleWithIds(ctx.db, [open.proposed_by])
  // Nothing says that a folder which cannot be read now has changed.
  const isFolderSame =
    folder.state === 'unreadable' || (folder.state !== 'invalid' && folder.digest === open.digest)
  const isCurrent = open.previous_digest === inForce && isFolderSame
  return {
    id: open.id,
    digest: open.digest,
    proposedBy: proposedBy ?? { id: open.proposed_by, name: '' },
    proposedAt: open.proposed_at,
    expiresAt: open.expires_at,
    note: open.note,
    isCurrent,
    canConfirm:
      isCurrent &&
      folder.state !== 'unreadable' &&
      caller.actor.type === 'person' &&
      caller.actor.id !== open.proposed_by,
  }
}

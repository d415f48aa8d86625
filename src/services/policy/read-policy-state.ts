import type { PolicyState as PolicyStateView } from '#api/schemas/policy/policy.ts'
import type { Actor } from '#domain/actor.ts'
import type { Policy, ProjectProblem } from '#policy/policy.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { warnOfNewAddresses } from './warn-of-new-addresses.ts'
import { warnOfSignatures } from './warn-of-signatures.ts'
import { loadProject } from './read-project.ts'
import { openProposal } from './open-proposal.ts'
import { newestActivation } from './activations/newest-activation.ts'
import { namesOf, type ActivationRecord } from './activations/list-activations.ts'
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

export type FolderState =
  | {
      readonly state: 'in_force' | 'changed'
      readonly digest: string
      readonly warnings: readonly ProjectProblem[]
    }
  | { readonly state: 'invalid'; readonly problems: readonly ProjectProblem[] }

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
  const loaded = await loadProject(projectDir)
  const folder: FolderState =
    'problems' in loaded
      ? { state: 'invalid', problems: loaded.problems }
      : {
          state: loaded.policy.digest === digest ? 'in_force' : 'changed',
          digest: loaded.policy.digest,
          warnings: [
            ...loaded.warnings,
            ...(await warnOfSignatures(ctx.db, loaded.policy)),
            ...(await warnOfNewAddresses(ctx.db, loaded.policy)),
          ],
        }
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
  const people = await namesOf(ctx.db, statement.people ?? [])
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
  const open = await openProposal(ctx.db, ctx.verifier)
  if (open === null || open.isOver) return null
  const [proposedBy] = await namesOf(ctx.db, [open.proposed_by])
  const isCurrent =
    open.previous_digest === inForce && folder.state !== 'invalid' && folder.digest === open.digest
  return {
    id: open.id,
    digest: open.digest,
    proposedBy: proposedBy ?? { id: open.proposed_by, name: '' },
    proposedAt: open.proposed_at,
    expiresAt: open.expires_at,
    note: open.note,
    isCurrent,
    canConfirm: isCurrent && caller.actor.type === 'person' && caller.actor.id !== open.proposed_by,
  }
}

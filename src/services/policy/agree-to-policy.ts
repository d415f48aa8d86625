import { Problem } from '#domain/problem.ts'
import { compareVersions } from '#policy/difference/compare-versions.ts'
import type { Policy } from '#policy/policy.ts'
import { activators } from '#policy/project/config/teams.ts'
import { within, type Caller, type SigningContext } from '../core/context.ts'
import { inUnitOfWork, type UnitOfWork, type JudgingContext } from '../core/unit-of-work.ts'
import { parsedOrRejected, type ActivationInput } from './activate-policy.ts'
import { endProposal, openProposal, propose, type Proposal } from './open-proposal.ts'
import { reportedCommit } from './reported-commit.ts'
import { readProject } from './read-project.ts'
import { invalidProject } from './reject-policy.ts'
import { needsActivation } from './pins/needs-activation.ts'
import { isInForce, lockActivation, storeActivation, type InForce } from './store-activation.ts'
import { hasRight } from '../core/rights-of.ts'
import { byRight, byRightOrNull, type Authority, type PersonActor } from '../core/authority.ts'

/** The result of a person's agreement to a version. */
export type Agreement =
  | { readonly state: 'activated' | 'in_force'; readonly policy: Policy; readonly sequence: number }
  /** a second person has to agree to the same digest */
  | { readonly state: 'proposed'; readonly policy: Policy; readonly proposal: Proposal }

/**
 * Agrees for a person that the folder's version, with the digest that they saw, takes force. It
 * does so at once, unless it changes teams, quorum, `selfApproval` or rights: then it is proposed,
 * and takes force when somebody else agrees to the same digest (workers-and-policy.md). A proposal
 * from another folder or version is superseded. Takes the right `activatePolicy` under the version
 * in force; machines do not have it. Rejects with `stale_digest` when the folder now has another
 * version. Audits `policy.activated` or `policy.proposed`.
 */
export async function agreeToPolicy(
  ctx: SigningContext,
  caller: Caller,
  input: ActivationInput & { readonly digest: string },
): Promise<Agreement> {
  await byRight(ctx, caller, 'activatePolicy')
  const { policy } = await parsedOrRejected(ctx, caller, input.files)
  if (policy.digest !== input.digest) {
    throw new Problem(
      'stale_digest',
      'The project folder holds another version than the one you were shown; nothing was activated',
      { digest: policy.digest },
    )
  }
  const judge = async ({ tx }: JudgingContext) => {
    const current = await lockActivation({ tx }, ctx)
    const authority = await byRightOrNull(within(ctx, tx), caller, 'activatePolicy')
    if (authority !== null) return { current, authority }
    throw new Problem(
      'forbidden',
      'The version that was activated in the meantime removed this right',
    )
  }
  return await inUnitOfWork(ctx, judge, async (unit, { current, authority }) => {
    if (await isInForce(unit.tx, current, policy)) {
      if (!(await needsActivation(within(ctx, unit.tx), policy, current.sequence))) {
        return { state: 'in_force', policy, sequence: current.sequence }
      }
      // MCP servers have changed their tools: activating the version again pins the new definitions
      // (product.md 25).
      const people = [authority.actor.id]
      const { note } = input
      const activation = { policy, current, caller: authority, people, proposalId: null, note }
      const sequence = await storeActivation(unit, ctx, activation)
      return { state: 'activated', policy, sequence }
    }
    return await agree(unit, ctx, authority, { policy, note: input.note, current })
  })
}

/** The same for the project folder's present version, if that still has the digest. */
export async function agreeToFolder(
  ctx: SigningContext,
  caller: Caller,
  input: { readonly projectDir: string; readonly digest: string },
): Promise<Agreement> {
  const project = await readProject(input.projectDir)
  if ('problems' in project) throw invalidProject(project.problems)
  const note = await reportedCommit(input.projectDir, project.files)
  return await agreeToPolicy(ctx, caller, { files: project.files, note, digest: input.digest })
}

async function agree(
  unit: UnitOfWork,
  ctx: SigningContext,
  caller: Authority<PersonActor>,
  version: { readonly policy: Policy; readonly note: string | null; readonly current: InForce },
): Promise<Agreement> {
  const { policy, note, current } = version
  const before = await ctx.policies.inForce(unit.tx)
  const open = await openProposal(unit.tx, unit)
  const proposal =
    open?.digest === policy.digest && open.previous_digest === before.digest && !open.isOver
      ? open
      : null
  if (open !== null && proposal === null) {
    await endProposal(unit, caller, open, open.isOver ? 'expired' : 'superseded')
  }
  const takesTwo = compareVersions(before, policy).secondPerson.length > 0
  if (takesTwo && proposal === null) {
    requireSecond(before)
    const proposal = await propose(unit, ctx, caller, { policy, before, note })
    return { state: 'proposed', policy, proposal }
  }
  if (takesTwo && proposal?.proposed_by === caller.actor.id) {
    return { state: 'proposed', policy, proposal }
  }
  const first = proposal?.proposed_by ?? caller.actor.id
  if (proposal !== null) {
    await requireStillEntitled(within(ctx, unit.tx), first)
    await endProposal(unit, caller, proposal, 'activated')
  }
  const people = [...new Set([first, caller.actor.id])]
  const activation = { policy, current, caller, people, proposalId: proposal?.id ?? null, note }
  const sequence = await storeActivation(unit, ctx, activation)
  return { state: 'activated', policy, sequence }
}

/** Rejects with `unreachable_approvers` when nobody else could agree to the proposal. */
function requireSecond({ config }: Policy): void {
  if (activators(config).length > 1) return
  throw new Problem(
    'unreachable_approvers',
    'This changes who decides, so a second person has to agree. Nobody else holds the right activatePolicy under the version in force. A person with access to the host can start the service once without COUNTERSIGN_PRODUCTION, which activates the folder.',
  )
}

/**
 * The agreement of a proposer who was disabled or lost the right no longer counts, like a vote
 * (product.md 18).
 */
async function requireStillEntitled(ctx: SigningContext, personId: string): Promise<void> {
  if (await hasRight(ctx, { type: 'person', id: personId, name: '' }, 'activatePolicy')) return
  throw new Problem(
    'conflict',
    'The proposer of this version may no longer activate policy: withdraw the proposal, and propose the version yourself',
  )
}

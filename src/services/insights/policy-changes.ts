import { sql, type Selectable } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { PolicyChangeTable } from '#store/tables/policy.ts'
import type { Policy } from '#policy/policy.ts'
import { toJsonb } from '#store/database.ts'
import { byRight, bySelf } from '../core/authority.ts'
import type { Caller, ServiceContext, SigningContext } from '../core/context.ts'
import { hasRight } from '../core/rights-of.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { peopleWithIds } from '../policy/activations/list-activations.ts'
import type { PersonRef } from '../requests/facts/request-record.ts'
import { changeOf, readProposals, type RuleChange } from './read-proposals.ts'

const onlyPeople = 'Only people propose changes of the policy'

/** A rule that a person proposes to pre-approve. It permits nothing. */
export interface PolicyChange extends Omit<RuleChange, 'candidate'> {
  readonly number: number
  readonly worker: string
  /** the counts of the 30 days before the proposal */
  readonly evidence: Selectable<PolicyChangeTable>['evidence']
  readonly proposedBy: PersonRef
  readonly proposedAt: Date
  /** the caller may withdraw or decline it */
  readonly mayEnd: boolean
}

/**
 * Lists the open proposed changes, newest first, each as a patch of the version in force: all of
 * them for people with the right `activatePolicy` or `readAudit`, their own for others.
 */
export async function listPolicyChanges(
  ctx: ServiceContext,
  caller: Caller,
): Promise<readonly PolicyChange[]> {
  const { actor } = bySelf(caller, onlyPeople)
  const mayActivate = await hasRight(ctx, actor, 'activatePolicy')
  const seesAll = mayActivate || (await hasRight(ctx, actor, 'readAudit'))
  const rows = await ctx.db
    .selectFrom('policy_change')
    .selectAll()
    .where('ended_at', 'is', null)
    .$if(!seesAll, (query) => query.where('proposed_by', '=', actor.id))
    .orderBy('number', 'desc')
    .limit(100)
    .execute()
  const people = await peopleWithIds(
    ctx.db,
    rows.map((row) => row.proposed_by),
  )
  const policy = await ctx.policies.inForce()
  return rows.flatMap((row) => {
    const mayEnd = mayActivate || row.proposed_by === actor.id
    return recordsOf(policy, row, { people, mayEnd })
  })
}

/**
 * Proposes to pre-approve a rule whose requests were always approved, by its id of `readProposals`:
 * change and evidence are computed here. Holders of `activatePolicy` see it; it permits nothing
 * until they apply the patch in the project folder and activate that version. Rejects keys
 * (`forbidden`), what is not proposed to the caller (`not_found`), and a rule with an open change
 * (`conflict`). Audits `policy.change_proposed`.
 */
export async function proposePolicyChange(
  ctx: SigningContext,
  caller: Caller,
  id: string,
): Promise<PolicyChange> {
  const authority = bySelf(caller, onlyPeople)
  const proposal = (await readProposals(ctx, caller)).find((one) => one.id === id)
  if (proposal === undefined) {
    throw new Problem('not_found', 'No rule with this id was always approved in the last 30 days')
  }
  const { worker, rule, replay } = proposal
  const { calls, wouldRunAlone } = replay
  const { approved } = proposal.evidence
  const evidence = { asked: proposal.evidence.asked, approved, calls, wouldRunAlone }
  const row = await inUnitOfWork(ctx, authority, async (unit) => {
    const inserted = await unit.tx
      .insertInto('policy_change')
      .values({
        worker,
        rule_id: rule.id,
        rule_text: rule.text,
        evidence: toJsonb(evidence),
        proposed_by: authority.actor.id,
      })
      .onConflict((conflict) =>
        conflict.columns(['worker', 'rule_id']).where('ended_at', 'is', null).doNothing(),
      )
      .returningAll()
      .executeTakeFirst()
    if (inserted === undefined) {
      throw new Problem('conflict', `A change of ${rule.id} of ${worker} is proposed already`)
    }
    await unit.audit({
      type: 'policy.change_proposed',
      detail: { number: inserted.number, worker, rule: rule.id },
    })
    return inserted
  })
  const { actor } = authority
  const people = [{ id: actor.id, name: actor.name }]
  const [change] = recordsOf(await ctx.policies.inForce(), row, { people, mayEnd: true })
  if (change === undefined) throw new Problem('conflict', 'The version in force changed meanwhile')
  return change
}

/**
 * Ends a proposed change: its proposer withdraws it, or a holder of `activatePolicy` declines it.
 * Rejects with `forbidden` for others, and with `not_found` for one that is not open. Audits
 * `policy.change_withdrawn`.
 */
export async function withdrawPolicyChange(
  ctx: ServiceContext,
  caller: Caller,
  number: number,
): Promise<void> {
  const self = bySelf(caller, onlyPeople)
  const row = await ctx.db
    .selectFrom('policy_change')
    .select('proposed_by')
    .where('number', '=', number)
    .executeTakeFirst()
  const isOwn = row?.proposed_by === self.actor.id
  const authority = isOwn ? self : await byRight(ctx, caller, 'activatePolicy')
  await inUnitOfWork(ctx, authority, async (unit) => {
    const row = await unit.tx
      .updateTable('policy_change')
      .set({ ended_at: sql`clock_timestamp()` })
      .where('number', '=', number)
      .where('ended_at', 'is', null)
      .returning(['worker', 'rule_id'])
      .executeTakeFirst()
    if (row === undefined) throw new Problem('not_found', `No proposed change ${number} is open`)
    await unit.audit({
      type: 'policy.change_withdrawn',
      detail: { number, worker: row.worker, rule: row.rule_id },
    })
  })
}

/** Empty where the rule no longer asks in the version in force. */
function recordsOf(
  policy: Policy,
  row: Selectable<PolicyChangeTable>,
  { people, mayEnd }: { readonly people: readonly PersonRef[]; readonly mayEnd: boolean },
): readonly PolicyChange[] {
  const { number, worker, proposed_by: by, proposed_at: proposedAt } = row
  const change = changeOf(policy, { worker, ruleId: row.rule_id, ruleText: row.rule_text })
  if (change === null) return []
  const { rule, file, patch } = change
  const proposedBy = people.find(({ id }) => id === by) ?? { id: by, name: '' }
  const { evidence } = row
  return [{ number, worker, rule, file, patch, evidence, proposedBy, proposedAt, mayEnd }]
}

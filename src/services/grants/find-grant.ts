import { isUsable } from './is-usable.ts'
import type { Selectable } from 'kysely'
import { judgeEligibility } from '#domain/deciding/eligibility.ts'
import { stillRestsOn } from '#domain/deciding/grant-reach.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import type { GrantStatement } from '#domain/statements/statement.ts'
import { together } from '#store/connection/side-by-side.ts'
import type { Db, Tx } from '#store/database.ts'
import type { ApprovalGrantTable } from '#store/tables/decisions.ts'
import type { ServiceContext } from '../core/context.ts'
import { personRows, verifyPerson } from '../core/verified-person.ts'
import { principalsOfInvocation, type Invocation } from '../requests/people/principals-of-call.ts'
import { principalsOfRun } from '../requests/people/principals-of-run.ts'
import { givingApproval, isStillApproved } from './still-approved.ts'
import { verifyGrant, type GrantedCall } from './verify-grant.ts'

/** A grant that covers a call now; `ruleText` is shown where its rule is. */
export interface MatchingGrant {
  readonly id: string
  readonly ruleText: string
  readonly statement: GrantStatement
}

/**
 * The oldest live grant of the run's root run that covers the call, or `null` (product.md 10). A
 * live grant is not revoked, not used up, not past its end (by the database's clock), and not ended
 * with the run. It is signed, and every field is verified. Its giver is enabled, in a team that
 * could decide, and not behind the call; where its quorum needed several people, as many as then.
 * A command's facts must be those that were approved: `restsOn` returns the current ones, `null`
 * for other calls, and is called only when a grant could cover it. Blocks of the policy come first.
 */
export async function findGrant(
  { db, verifier, seals }: { readonly db: Db | Tx } & Pick<ServiceContext, 'verifier' | 'seals'>,
  question: {
    readonly runId: string
    readonly rootRunId: string
    readonly call: GrantedCall
    /** `null`: the model makes the call */
    readonly invocation: Invocation | null
    restsOn(): Promise<CallFacts | null>
  },
): Promise<MatchingGrant | null> {
  const rows = await db
    .selectFrom('approval_grant')
    .innerJoin('person', 'person.id', 'approval_grant.granted_by')
    .selectAll('approval_grant')
    .select('person.name as giver_name')
    .select([personRows.as('giver'), givingApproval.as('approval')])
    .where('root_run_id', '=', question.rootRunId)
    .where('tool', '=', question.call.tool)
    .where(isUsable)
    .orderBy('approval_grant.created_at')
    .orderBy('approval_grant.id')
    .execute()
  const matching = rows.flatMap((row) => {
    const statement = verifyGrant({ verifier, seals }, row, question)
    return statement === null ? [] : [{ row, statement }]
  })
  if (matching.length === 0) return null
  const [ofRun, ofCall, facts] = await together([
    principalsOfRun(db, question.runId),
    principalsOfInvocation(db, question),
    question.restsOn(),
  ])
  const principals = [...ofRun, ...ofCall]
  for (const { row, statement } of matching) {
    const eligibility = judgeEligibility({
      need: 'decide',
      person: verifyPerson(seals, row.giver),
      quorum: { any: statement.teams.map((team) => [{ team, count: 1 }]) },
      principals,
      selfApproval: statement.selfApproved,
    })
    const isApproved = eligibility.canDecide && isStillApproved(seals, row.approval, principals)
    if (isApproved && coversFacts(statement, facts))
      return { id: row.id, ruleText: grantText(row), statement }
  }
  return null
}

/** Grants for commands have facts and others have none: neither covers the other. */
function coversFacts({ command }: GrantStatement, facts: CallFacts | null): boolean {
  if (command === undefined || facts === null) return command === undefined && facts === null
  return stillRestsOn(command, facts)
}

function grantText(row: Selectable<ApprovalGrantTable> & { giver_name: string }): string {
  const reach = row.scope === 'path' ? `${row.tool} on ${row.path ?? ''}` : `this ${row.tool} call`
  return `${row.giver_name} approved ${reach} for the run`
}

import { sql, type Selectable } from 'kysely'
import type { GrantView } from '#api/schemas/policy/grants.ts'
import { judgeEligibility } from '#domain/deciding/eligibility.ts'
import type { GrantStatement } from '#domain/statements/statement.ts'
import type { ApprovalGrantTable } from '#store/tables/decisions.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { missingProblem } from '../core/problems/missing.ts'
import { principalsOfRun, type Principal } from '../requests/people/principals-of-run.ts'
import { viewerOf } from '../requests/people/viewer.ts'
import { dormantByPolicy } from './dormant-by-policy.ts'
import { givingApproval, isStillApproved, type GivingApproval } from './still-approved.ts'
import { runVisibleTo } from '../requests/people/visible-to.ts'
import type { RecordOf } from '../core/record-of.ts'

export type GrantRecord = RecordOf<GrantView>

/**
 * Lists the grants of a run's root run, newest first, with ended and revoked ones. Rejects with
 * `not_found`.
 */
export async function listGrants(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly runId: string },
): Promise<GrantRecord[]> {
  const viewer = await viewerOf(ctx, caller)
  const run = await ctx.db
    .selectFrom('run')
    .innerJoin('run as root', 'root.id', 'run.root_run_id')
    .select(['run.root_run_id', 'root.started_by'])
    .where('run.id', '=', input.runId)
    .where(runVisibleTo(viewer))
    .executeTakeFirst()
  if (run === undefined) throw missingProblem('run', input.runId)
  const rows = await ctx.db
    .selectFrom('approval_grant')
    .innerJoin('person as giver', 'giver.id', 'approval_grant.granted_by')
    .leftJoin('person as revoker', 'revoker.id', 'approval_grant.revoked_by')
    .selectAll('approval_grant')
    .select(['giver.name as giver_name', 'giver.disabled_at', 'revoker.name as revoker_name'])
    .select([
      sql<string[]>`array(select team from team_member where person_id = giver.id)`.as('teams'),
      sql<boolean>`coalesce(expires_at <= clock_timestamp(), false)`.as('is_past'),
      givingApproval.as('approval'),
    ])
    .where('approval_grant.root_run_id', '=', run.root_run_id)
    .orderBy('approval_grant.created_at', 'desc')
    .orderBy('approval_grant.id', 'desc')
    .execute()
  const principals = rows.length === 0 ? [] : await principalsOfRun(ctx.db, input.runId)
  const dormant = await dormantTexts(
    ctx,
    rows.filter((row) => row.revoked_at === null && row.ended_at === null),
    principals,
  )
  const isPerson = caller.actor.type === 'person'
  return rows.map((row) => ({
    id: row.id,
    tool: row.tool,
    scope: row.scope,
    digest: row.digest,
    path: row.path,
    grantedBy: { id: row.granted_by, name: row.giver_name },
    requestId: row.request_id,
    createdAt: row.created_at,
    uses: row.uses,
    usesAllowed: row.uses_allowed,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    revokedBy:
      row.revoked_by === null ? null : { id: row.revoked_by, name: row.revoker_name ?? '' },
    endedAt: row.ended_at,
    dormant: dormant.get(row.id) ?? null,
    canRevoke:
      isPerson &&
      row.revoked_at === null &&
      row.ended_at === null &&
      (viewer.managesRuns || [row.granted_by, run.started_by].includes(viewer.personId)),
  }))
}

/** Used for a sentence only: judging a call verifies the signature first. */
function statementOf(row: { readonly statement: string }): GrantStatement {
  return JSON.parse(row.statement) as GrantStatement
}

type GrantRow = Selectable<ApprovalGrantTable> & {
  readonly giver_name: string
  readonly disabled_at: Date | null
  readonly teams: readonly string[]
  readonly is_past: boolean
  readonly approval: GivingApproval
}

/** By id, why a living grant covers nothing now. */
async function dormantTexts(
  ctx: ServiceContext,
  living: readonly GrantRow[],
  principals: readonly Principal[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const row of living) {
    const why = dormantText(ctx, row, principals)
    if (why !== null) texts.set(row.id, why)
  }
  const others = living
    .filter(({ id }) => !texts.has(id))
    .map((row) => ({ id: row.id, requestId: row.request_id, statement: statementOf(row) }))
  return new Map([...texts, ...(await dormantByPolicy(ctx, others))])
}

/** Why a live grant would not cover any call of this run now (find-grant.ts), whatever the call. */
function dormantText(
  { seals }: Pick<ServiceContext, 'seals'>,
  row: GrantRow,
  principals: readonly Principal[],
): string | null {
  if (row.uses_allowed !== null && row.uses >= row.uses_allowed) return 'it is used up'
  if (row.is_past) return 'it has expired'
  const { teams, selfApproved } = statementOf(row)
  const eligibility = judgeEligibility({
    need: 'decide',
    person: { id: row.granted_by, enabled: row.disabled_at === null, teams: row.teams },
    quorum: { any: teams.map((team) => [{ team, count: 1 }]) },
    principals,
    selfApproval: selfApproved,
  })
  if (eligibility.canDecide) {
    if (isStillApproved(seals, row.approval, principals)) return null
    return 'somebody whose approval it needed could no longer decide about this run'
  }
  if (eligibility.which === 'disabled') return `${row.giver_name} has been disabled`
  if (eligibility.which === 'behind_request') return `${row.giver_name} is now behind this run`
  return `${row.giver_name} is no longer in a team that could decide: ${teams.join(', ')}`
}

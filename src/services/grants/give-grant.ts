import type { Selectable } from 'kysely'
import { newId } from '#domain/new-id.ts'
import {
  grantedCommand,
  isCommand,
  reachOf,
  type GrantReach,
} from '#domain/deciding/grant-reach.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import { quorumTeams } from '#domain/deciding/quorum.ts'
import { signStatement, type Signer } from '#domain/statements/statement-bytes.ts'
import type { GrantStatement } from '#domain/statements/statement.ts'
import type { Scope } from '#domain/policy/verdict.ts'
import { getText } from '#store/content/content.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'
import type { DecisionFacts, CountedVote } from '../requests/facts/decision-facts.ts'
import type { GrantBounds } from '../requests/facts/decision-input.ts'
import { aboutRequest } from '../requests/ending/end-request.ts'

/** The reach to which all approvals of a met quorum agree, with the tightest bounds. */
export function commonReach(votes: readonly Pick<CountedVote, 'scope' | 'bounds'>[]): {
  scope: Scope
  bounds: GrantBounds
} {
  const scope = votes[0]?.scope ?? 'once'
  const uses = votes.flatMap((vote) => vote.bounds?.uses ?? [])
  const ends = votes.flatMap((vote) => vote.bounds?.expiresAt ?? [])
  return {
    scope: votes.every((vote) => vote.scope === scope) ? scope : 'once',
    bounds: {
      uses: uses.length === 0 ? null : Math.min(...uses),
      expiresAt: ends.toSorted()[0] ?? null,
    },
  }
}

/** What an approval gives for the rest of a run, and who approved. */
interface NewGrant {
  readonly request: Selectable<RequestTable>
  readonly facts: DecisionFacts
  readonly scope: Scope
  readonly bounds: GrantBounds
  readonly personId: string
  readonly selfApproved: boolean
}

/**
 * Signs and stores a grant of this call for the rest of the root run (product.md 10), in the
 * decision's transaction. Scope `path` covers the call's `path`; rejects with `scope_not_allowed`
 * when it has none.
 */
export async function giveGrant(
  unit: UnitOfWork,
  signer: Signer,
  grant: NewGrant,
): Promise<string> {
  const { request } = grant
  if (request.root_run_id === null) {
    throw new Problem('scope_not_allowed', 'Only a call of a run can be approved for the run')
  }
  const { path } = await reachOfGrant(unit, grant)
  const statement = statementOf(grant, request.root_run_id, path)
  const signedGrant = signStatement(signer, 'grant', statement)
  await unit.tx
    .insertInto('approval_grant')
    .values({
      id: statement.grantId,
      root_run_id: statement.rootRunId,
      tool: statement.tool,
      scope: statement.scope,
      digest: statement.digest,
      path: statement.path,
      queue: statement.queue,
      team: request.team,
      granted_by: statement.grantedBy,
      request_id: statement.requestId,
      uses_allowed: statement.uses,
      expires_at: statement.expiresAt,
      statement: signedGrant.statement,
      signature: signedGrant.signature,
      key_id: signedGrant.keyId,
    })
    .execute()
  await unit.audit({
    type: 'grant.given',
    ...aboutRequest(request),
    digest: statement.digest,
    policyDigest: request.policy_digest,
    detail: {
      grantId: statement.grantId,
      scope: statement.scope,
      tool: statement.tool,
      uses: statement.uses,
      expiresAt: statement.expiresAt,
    },
  })
  return statement.grantId
}

function statementOf(
  { bounds, facts, personId, request, scope, selfApproved }: NewGrant,
  rootRunId: string,
  path: string | null,
): GrantStatement {
  const { digest, facts: callFacts } = facts.revision
  return {
    version: 1,
    grantId: newId(),
    rootRunId,
    tool: request.tool,
    toolHash: callFacts.toolHash,
    scope,
    digest,
    path,
    grantedBy: personId,
    queue: request.queue,
    teams: quorumTeams(request.routing.quorum),
    selfApproved,
    requestId: request.id,
    uses: bounds.uses,
    expiresAt: bounds.expiresAt,
    ...(isCommand(callFacts) && { command: grantedCommand(scope, callFacts) }),
  }
}

/** The same reach as the request's page has shown (security.md 16). */
async function reachOfGrant(unit: UnitOfWork, grant: NewGrant): Promise<GrantReach> {
  const { digest, inputHash } = grant.facts.revision
  const input = JSON.parse(await getText(unit.tx, inputHash)) as JsonObject
  const reach = reachOf(grant.scope, {
    tool: grant.request.tool,
    digest,
    input,
    facts: grant.facts.revision.facts,
  })
  if (reach !== null) return reach
  throw new Problem('scope_not_allowed', 'This call names no single file to approve')
}

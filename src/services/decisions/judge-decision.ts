import type { Selectable } from 'kysely'
import { judgeEligibility } from '../../domain/deciding/eligibility.ts'
import { whyReason } from '../../domain/deciding/why-reason.ts'
import { Problem } from '../../domain/problem.ts'
import type { Tx } from '../../store/database.ts'
import type { RequestTable } from '../../store/tables/requests.ts'
import type { DecisionFacts } from './decision-facts.ts'
import { invalid, type DecisionInput } from './decision-input.ts'
import { refuseEnded } from './ending/refuse-ended.ts'

/** What a decision's row says besides what was asked for. */
export interface DecisionMarks {
  readonly person: NonNullable<DecisionFacts['person']>
  readonly selfApproved: boolean
  readonly edited: boolean
}

/**
 * Judges everything about a decision but its signature and its quorum, in the contract's order (api.md, decisions): scope, state, the
 * clock, the person, an earlier vote, revision and digest, and what high risk needs. Throws the refusal; returns
 * `'lapsed'` for a pending request whose time is over, which the caller expires.
 */
export async function judgeDecision(
  tx: Tx,
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
  input: DecisionInput,
): Promise<DecisionMarks | 'lapsed'> {
  refuseKind(request)
  refuseScope(request, input)
  const ended = await refuseEnded(tx, request)
  if (ended !== null) throw ended
  if (facts.now >= request.expires_at) return 'lapsed'
  const marks = judgePerson(request, facts)
  if (facts.voted) {
    throw new Problem('already_voted', 'You decided this revision before; it waits for others')
  }
  refuseStale(request, facts, input)
  refuseUnseen(request, facts, input)
  if (input.decision === 'approve' && input.bounds?.expiresAt != null) {
    if (Date.parse(input.bounds.expiresAt) <= facts.now.getTime()) {
      throw invalid('grant.expiresAt', 'must be in the future')
    }
  }
  return marks
}

/** The refusal of somebody who may not decide it; otherwise how their decision is marked (product.md 17 to 19). */
export function judgePerson(
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
): DecisionMarks {
  const eligibility = judgeEligibility({
    person: facts.person,
    quorum: request.routing.quorum,
    principals: facts.principals,
    selfApproval: request.routing.selfApproval,
  })
  if (!eligibility.canDecide || facts.person === null) {
    const which = eligibility.canDecide ? 'machine' : eligibility.which
    throw new Problem('not_eligible', eligibility.reason ?? 'Only people decide', { which })
  }
  return {
    person: facts.person,
    selfApproved: eligibility.selfApproved,
    edited: facts.revision.editorId === facts.person.id,
  }
}

/** `stale_revision` or `stale_digest` with the current ones (product.md 6). */
export function refuseStale(
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
  named: { readonly digest: string; readonly revision: number },
): void {
  const current = { digest: facts.revision.digest, revision: request.revision }
  if (named.revision !== request.revision) {
    throw new Problem('stale_revision', 'This call was changed since it was shown to you', current)
  }
  if (named.digest !== facts.revision.digest) {
    throw new Problem('stale_digest', 'This digest is not that of what would run', current)
  }
}

/** A question is answered and an outcome check is settled, each with its own verb. */
function refuseKind(request: Selectable<RequestTable>): void {
  if (request.kind === 'outcome_check') {
    throw invalid('decision', 'does not end an outcome check; settle it')
  }
  if (request.kind === 'question') throw invalid('decision', 'does not answer a question')
}

function refuseScope(request: Selectable<RequestTable>, input: DecisionInput): void {
  if (input.decision === 'deny' || input.scope === 'once') return
  const allowed: readonly string[] = request.routing.scopes
  if (request.run_id !== null && allowed.includes(input.scope)) return
  throw new Problem(
    'scope_not_allowed',
    `This request cannot be approved with scope ${input.scope}`,
    {
      allowedScopes: ['once', ...allowed.filter((scope) => scope !== 'once')],
    },
  )
}

/** What needs a reason has one, and an approval of high risk what was on the screen (security.md 15); what is said of that is true at any. */
function refuseUnseen(
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
  input: DecisionInput,
): void {
  const wasShown = input.seen === facts.revision.presentationDigest
  // It goes into the trail, where a verifier compares it.
  if (input.seen !== null && !wasShown) {
    throw new Problem('not_displayed', 'What was seen is not what this request shows')
  }
  const why = whyReason(input.decision, {
    risk: request.risk,
    askedBeforeRestore: facts.askedBeforeRestore,
  })
  if (why !== null && (input.reason === null || input.reason.trim() === '')) {
    throw new Problem('reason_required', why)
  }
  if (request.risk === 'high' && input.decision === 'approve' && !wasShown) {
    throw new Problem('not_displayed', 'Approving high risk needs all of it shown first')
  }
}

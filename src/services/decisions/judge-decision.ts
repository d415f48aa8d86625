import type { Selectable } from 'kysely'
import { againSentence } from '#domain/deciding/alike-words.ts'
import { isSameHuman, judgeEligibility } from '#domain/deciding/eligibility.ts'
import { whyReason } from '#domain/deciding/why-reason.ts'
import { Problem } from '#domain/problem.ts'
import { needOfRequests } from '#domain/runs/need-of-run.ts'
import type { Tx } from '#store/database.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import { tamperedProblem } from '../core/problems/tampered.ts'
import type { DecisionFacts } from '../requests/facts/decision-facts.ts'
import type { DecisionInput } from '../requests/facts/decision-input.ts'
import { invalid } from '../core/problems/invalid.ts'
import { refuseEnded } from '../requests/ending/refuse-ended.ts'
import { byEligibility, type Authority, type PersonActor } from '../core/authority.ts'
import type { Caller } from '../core/context.ts'

/** A person who may decide a request, and the facts that are stored with their decision. */
export interface EligiblePerson {
  /** the authority of the person, who may decide it */
  readonly authority: Authority<PersonActor>
  readonly person: NonNullable<DecisionFacts['person']>
  readonly selfApproved: boolean
  readonly edited: boolean
}

/**
 * Judges everything about a decision except its signature and its quorum, in the order of the
 * contract (api.md, decisions): scope, state, time, person, earlier vote, revision and digest, and
 * the needs of high risk. Throws the refusal; returns `'lapsed'` for a pending request whose time
 * is over, which the caller expires.
 */
export async function judgeDecision(
  tx: Tx,
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
  input: DecisionInput,
  { caller, seenAtAnyRisk }: { readonly caller: Caller; readonly seenAtAnyRisk: boolean },
): Promise<EligiblePerson | 'lapsed'> {
  refuseKind(request)
  refuseScope(request, input)
  const refusal = await refuseEnded(tx, request)
  if (refusal !== null) throw refusal
  if (facts.now >= request.expires_at) return 'lapsed'
  const voter = judgePerson(caller, request, facts)
  if (facts.voted) {
    throw new Problem('already_voted', 'You decided this revision before; it waits for others')
  }
  refuseStale(request, facts, input)
  refuseUndisplayed(request, facts, input, seenAtAnyRisk)
  refuseUnconfirmedRepeat(request, facts, input)
  if (input.decision === 'approve' && input.bounds?.expiresAt != null) {
    if (Date.parse(input.bounds.expiresAt) <= facts.now.getTime()) {
      throw invalid('grant.expiresAt', 'must be in the future')
    }
  }
  return voter
}

/** The person, who may decide it. Throws the refusal of anybody else (product.md 17 to 19). */
export function judgePerson(
  caller: Caller,
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
): EligiblePerson {
  if (facts.tampered !== null) throw tamperedProblem(facts.tampered)
  const eligibility = judgeEligibility({
    need: needOfRequests([request]),
    person: facts.person,
    quorum: request.routing.quorum,
    principals: facts.principals,
    selfApproval: request.routing.selfApproval,
  })
  const { person } = facts
  const which = eligibility.canDecide ? 'machine' : eligibility.which
  const refusal = (): Problem =>
    new Problem('not_eligible', eligibility.reason ?? 'Only people can decide', { which })
  if (!eligibility.canDecide || person === null) {
    // A membership that somebody inserted by SQL does not count, and is recorded.
    if (which === 'not_in_team' && person?.forged === 'membership')
      throw tamperedProblem('membership')
    throw refusal()
  }
  return {
    authority: byEligibility(caller, person, refusal),
    person,
    selfApproved: eligibility.selfApproved,
    edited: facts.editors.some((editor) => isSameHuman(person, editor)),
  }
}

/** `stale_revision` or `stale_digest` with the current ones (product.md 6). */
export function refuseStale(
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
  expected: { readonly digest: string; readonly revision: number },
): void {
  const current = { digest: facts.revision.digest, revision: request.revision }
  if (expected.revision !== request.revision) {
    throw new Problem('stale_revision', 'This call was changed since it was shown to you', current)
  }
  if (expected.digest !== facts.revision.digest) {
    throw new Problem(
      'stale_digest',
      'This digest is not the digest of the call that would run',
      current,
    )
  }
}

/** Questions and outcome checks have verbs of their own. */
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

/** An approval of a repeated call at high risk must confirm that (dashboard.md, alike). */
function refuseUnconfirmedRepeat(
  request: Selectable<RequestTable>,
  { again }: DecisionFacts,
  input: DecisionInput,
): void {
  if (input.decision === 'deny' || request.risk !== 'high' || again === 0 || input.again) return
  throw new Problem(
    'again_required',
    `${againSentence(again)}: approve it with again if it should run once more`,
    { again },
  )
}

/**
 * Judges that a decision has a reason if it needs one, that an approval of high risk says what was
 * on the screen (security.md 15), and that this statement is true.
 */
function refuseUndisplayed(
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
  input: DecisionInput,
  seenAtAnyRisk: boolean,
): void {
  const wasDisplayed = input.seen === facts.revision.presentationDigest
  // It goes into the trail, where a verifier compares it.
  if (input.seen !== null && !wasDisplayed) {
    throw new Problem(
      'not_displayed',
      "The digest in seen is not that of this request's presentation",
    )
  }
  const why = whyReason(input.decision, {
    risk: request.risk,
    askedBeforeRestore: facts.askedBeforeRestore,
  })
  if (why !== null && (input.reason === null || input.reason.trim() === '')) {
    throw new Problem('reason_required', why)
  }
  if (input.decision === 'deny' || wasDisplayed) return
  if (request.risk === 'high') {
    throw new Problem('not_displayed', 'High risk can be approved only after all of it was shown')
  }
  if (seenAtAnyRisk) {
    throw new Problem(
      'not_displayed',
      'An approval must name what was shown: give presentation.digest as seen',
    )
  }
}

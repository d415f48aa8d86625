import type { DecisionBody } from '#api/schemas/requests/decisions.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import type { ScopeName } from '#api/schemas/policy/grants.ts'
import { whyReason } from '#domain/deciding/why-reason.ts'

/** The choice of the panel; there is none at first. */
export type Choice = 'deny' | 'stop' | 'approve' | 'edit'

/** The fields of the panel beside the choice. */
export interface PanelFields {
  readonly choice: Choice | null
  readonly scope: ScopeName
  readonly uses: string
  /** local time, or empty */
  readonly until: string
  readonly reason: string
  /** all of the presentation has been on the screen */
  readonly fullyViewed: boolean
  /** the person confirmed that the call runs once more */
  readonly again: boolean
  /** a value that looks like a secret is still masked */
  readonly hasMaskedSecrets: boolean
  readonly offline: boolean
  readonly nowMs: number
}

/**
 * Why the choice needs a reason; without a choice, why any decision does. `null`: it needs none.
 * Pure.
 */
export function whyReasonOf(choice: Choice | null, request: RequestDetail): string | null {
  return whyReason(choice === 'approve' ? 'approve' : 'deny', request)
}

/**
 * Whether the choice would, at high risk, carry out once more what was carried out before
 * (dashboard.md, alike). Pure.
 */
export function needsAgain(
  choice: Choice | null,
  { risk, alike }: Pick<RequestDetail, 'risk' | 'alike'>,
): boolean {
  return choice === 'approve' && risk === 'high' && alike.again > 0
}

/**
 * Why the decision cannot be submitted, as a sentence that says what to do; `null`: it can. Pure.
 */
export function whyNotSubmit(request: RequestDetail, fields: PanelFields): string | null {
  const { choice } = fields
  if (fields.offline) return 'Offline: nothing can be submitted until the service is back.'
  if (choice === null) return 'Choose a decision first.'
  if (choice === 'edit') return 'Preview your changes first; then approve what you see.'
  const why = whyReasonOf(choice, request)
  if (why !== null && fields.reason.trim() === '') return `${why}.`
  const high = request.risk === 'high'
  if (choice === 'approve') {
    // A masked value in a command may be part of what runs (security.md 20).
    const runs = request.presentation.type === 'command'
    if ((high || runs) && fields.hasMaskedSecrets) {
      return `${high ? 'High risk' : 'This runs'}: show every masked value first.`
    }
    if (high && !fields.fullyViewed) {
      return request.presentation.truncated
        ? 'High risk: part of this is not shown here, so it cannot be approved here.'
        : 'High risk: scroll through all of what will happen first.'
    }
    if (needsAgain(choice, request) && !fields.again) {
      return 'High risk: this very call was carried out before. Tick “Yes, again” if it should run once more.'
    }
    return whyNotBounded(fields)
  }
  return null
}

function whyNotBounded({ scope, uses, until, nowMs }: PanelFields): string | null {
  if (scope === 'once') return null
  if (uses !== '' && !/^[1-9]\d{0,5}$/.test(uses)) return 'Uses must be a whole number, 1 or more.'
  if (until === '') return null
  return Date.parse(until) > nowMs ? null : 'Until must be in the future.'
}

/** The decision in the form of the API, bound to the shown revision. Pure. */
export function decisionBody(
  shownRequest: Pick<RequestDetail, 'digest' | 'revision' | 'risk' | 'presentation' | 'alike'>,
  fields: PanelFields,
): DecisionBody {
  const reason = fields.reason.trim() === '' ? {} : { reason: fields.reason.trim() }
  const bound = { digest: shownRequest.digest, revision: shownRequest.revision }
  if (fields.choice !== 'approve') {
    return {
      decision: 'deny',
      ...bound,
      then: fields.choice === 'stop' ? 'stop' : 'continue',
      ...reason,
    }
  }
  const grant = {
    ...(fields.uses !== '' && { uses: Number(fields.uses) }),
    ...(fields.until !== '' && { expiresAt: new Date(fields.until).toISOString() }),
  }
  const bounded = fields.scope !== 'once' && Object.keys(grant).length > 0
  return {
    decision: 'approve',
    ...bound,
    scope: fields.scope,
    ...reason,
    ...(shownRequest.risk === 'high' && { seen: shownRequest.presentation.digest }),
    ...(bounded && { grant }),
    ...(needsAgain(fields.choice, shownRequest) && fields.again && { again: true as const }),
  }
}

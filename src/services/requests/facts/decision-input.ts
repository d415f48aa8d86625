import { textIn } from '#domain/json/value-in.ts'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { isInstant } from '#domain/instant.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import { limits } from '#domain/limits.ts'
import { Problem } from '#domain/problem.ts'
import type { DenialThen } from '#domain/requests/request.ts'
import { scopes, type Scope } from '#domain/policy/verdict.ts'
import { isLongerThan } from '#domain/text/quantities/is-longer-than.ts'
import { invalid } from '../../core/problems/invalid.ts'

/** Bounds of a grant wider than `once`; the instant is in UTC. */
export interface GrantBounds {
  readonly uses: number | null
  readonly expiresAt: string | null
}

interface DecisionHead {
  readonly digest: string
  readonly revision: number
  readonly reason: string | null
  readonly seen: string | null
  /** a passkey's signature of it; `null` without one */
  readonly assertion: AuthenticationResponseJSON | null
}

export interface ApprovalInput extends DecisionHead {
  readonly decision: 'approve'
  readonly scope: Scope
  readonly bounds: GrantBounds | null
  /** the person knows that the same call was carried out before */
  readonly again: boolean
}

export interface DenialInput extends DecisionHead {
  readonly decision: 'deny'
  readonly then: DenialThen
}

export type DecisionInput = ApprovalInput | DenialInput

const sharedFields = ['decision', 'digest', 'revision', 'reason', 'seen', 'assertion']
const approvalFields = [...sharedFields, 'scope', 'grant', 'again']
const denialFields = [...sharedFields, 'then']

/**
 * The body of a decision from any channel. Only the literal values of the contract are accepted
 * (product.md 6), without conversion. Rejects with `digest_required` first, then `invalid_request`
 * with the `field`.
 */
export function parseDecision(body: Json): DecisionInput {
  const fields = objectOf(body, 'body')
  if ((fields['digest'] ?? null) === null) {
    throw new Problem('digest_required', 'A decision must name the digest that was shown')
  }
  const { decision } = fields
  if (decision !== 'approve' && decision !== 'deny') {
    throw invalid('decision', 'must be "approve" or "deny"')
  }
  refuseUnknown(fields, decision === 'approve' ? approvalFields : denialFields)
  const named = {
    digest: text(fields['digest'], 'digest', 200) ?? '',
    revision: revisionOf(fields['revision']),
    reason: text(fields['reason'], 'reason', limits.reasonCharacters),
    seen: text(fields['seen'], 'seen', 200),
    assertion: readAssertion(fields['assertion']),
  }
  if (decision === 'deny') return { decision, ...named, then: thenOf(fields['then']) }
  const scope = scopeOf(fields['scope'])
  const bounds = boundsOf(fields['grant'], scope)
  return { decision, ...named, scope, bounds, again: againOf(fields['again']) }
}

function againOf(value: Json | undefined): boolean {
  if (value !== undefined && value !== true) throw invalid('again', 'must be true, or absent')
  return value === true
}

function objectOf(value: Json | undefined, field: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(field, 'must be an object')
  }
  return value
}

function refuseUnknown(fields: JsonObject, names: readonly string[], within = ''): void {
  for (const field of Object.keys(fields)) {
    if (!names.includes(field)) throw invalid(within + field, 'is not a field of this decision')
  }
}

function text(value: Json | undefined, field: string, maxLength: number): string | null {
  if (value === undefined) return null
  if (typeof value !== 'string') throw invalid(field, 'must be text')
  if (isLongerThan(value, maxLength)) throw invalid(field, `is over ${maxLength} characters`)
  if (!value.isWellFormed() || value.includes('\0')) {
    throw invalid(field, 'has a NUL character or half a surrogate pair')
  }
  return value
}

function revisionOf(value: Json | undefined): number {
  if (!isPositiveInteger(value)) throw invalid('revision', 'must be the number of the revision')
  return value
}

function thenOf(value: Json | undefined): DenialThen {
  if (value === undefined) return 'continue'
  if (value !== 'continue' && value !== 'stop')
    throw invalid('then', 'must be "continue" or "stop"')
  return value
}

function scopeOf(value: Json | undefined): Scope {
  if (value === undefined) return 'once'
  const scope = scopes.find((one) => one === value)
  if (scope === undefined) throw invalid('scope', `must be one of ${scopes.join(', ')}`)
  return scope
}

function boundsOf(value: Json | undefined, scope: Scope): GrantBounds | null {
  if (value === undefined) return null
  const fields = objectOf(value, 'grant')
  if (scope === 'once') throw invalid('grant', 'bounds a scope wider than "once"')
  refuseUnknown(fields, ['uses', 'expiresAt'], 'grant.')
  const { uses, expiresAt } = fields
  if (uses !== undefined && (!isPositiveInteger(uses) || uses > 1_000_000)) {
    throw invalid('grant.uses', 'must be a whole number from 1 to 1000000')
  }
  return {
    uses: uses ?? null,
    expiresAt: expiresAt === undefined ? null : instantOf(expiresAt, 'grant.expiresAt'),
  }
}

/** An ISO 8601 instant with its zone, as UTC. */
export function instantOf(value: Json, field: string): string {
  if (typeof value !== 'string' || !isInstant(value)) {
    throw invalid(field, 'must be an instant with its time zone, such as 2026-01-31T12:00:00Z')
  }
  return new Date(value).toISOString()
}

function isPositiveInteger(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}

/** More than any authenticator's answer has. */
const maxCharacters = 20_000

/**
 * The `assertion` of a decision's body, in WebAuthn's JSON form; `null` when there is none. Rejects
 * with `invalid_request` for anything else; additional members are ignored.
 */
function readAssertion(value: Json | undefined): AuthenticationResponseJSON | null {
  if (value === undefined) return null
  const assertion = objectOf(value, 'assertion')
  const response = objectOf(assertion['response'], 'assertion.response')
  if (assertion['type'] !== 'public-key') throw invalid('assertion.type', 'must be "public-key"')
  const id = base64url(assertion, 'id', 'assertion')
  return {
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: base64url(response, 'clientDataJSON', 'assertion.response'),
      authenticatorData: base64url(response, 'authenticatorData', 'assertion.response'),
      signature: base64url(response, 'signature', 'assertion.response'),
    },
  }
}

function base64url(object: JsonObject, name: string, within: string): string {
  const value = textIn(object, name)
  if (value !== null && value.length <= maxCharacters && /^[\w-]+$/.test(value)) {
    return value
  }
  throw invalid(`${within}.${name}`, 'must be base64url')
}

import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { Json, JsonObject } from '../../../domain/json.ts'
import { Problem } from '../../../domain/problem.ts'

/** Longer than any authenticator's answer. */
const charactersMost = 20_000

/**
 * The `assertion` of a decision's body, in WebAuthn's own JSON form; `null` when there is none. Rejects with
 * `invalid_request` for anything else; browsers may say more than is looked at.
 */
export function readAssertion(value: Json | undefined): AuthenticationResponseJSON | null {
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

function objectOf(value: Json | undefined, field: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw invalid(field, 'must be an object')
}

function base64url(object: JsonObject, name: string, within: string): string {
  const value = Object.hasOwn(object, name) ? object[name] : undefined
  if (typeof value === 'string' && value.length <= charactersMost && /^[\w-]+$/.test(value)) {
    return value
  }
  throw invalid(`${within}.${name}`, 'must be base64url')
}

function invalid(field: string, message: string): Problem {
  return new Problem('invalid_request', `${field} ${message}`, { field, message })
}

import type { JsonObject } from './json/json.ts'

/** The status of each stable error code (api.md). All channels use this one catalogue. */
export const problemStatus = {
  invalid_request: 422,
  scope_not_allowed: 422,
  reason_required: 422,
  not_displayed: 422,
  signature_required: 422,
  signature_invalid: 422,
  no_passkey: 422,
  not_alike: 422,
  not_of_turn: 422,
  policy_blocked: 422,
  idempotency_key_reused: 422,
  unreachable_approvers: 422,
  budget_exhausted: 422,
  too_large: 413,
  unsupported_media_type: 415,
  unauthenticated: 401,
  session_unproven: 401,
  csrf_failed: 403,
  not_eligible: 403,
  forbidden: 403,
  mode_not_permitted: 403,
  edits_off: 403,
  host_not_allowed: 421,
  not_found: 404,
  unknown_worker: 404,
  method_not_allowed: 405,
  already_decided: 409,
  already_voted: 409,
  already_consumed: 409,
  already_started: 409,
  claimed: 409,
  run_ended: 409,
  trigger_paused: 409,
  conflict: 409,
  tampered: 409,
  expired: 410,
  cancelled: 410,
  stale_digest: 412,
  stale_revision: 412,
  digest_required: 428,
  again_required: 428,
  rate_limited: 429,
  workspace_unreachable: 503,
  unavailable: 503,
  disk_full: 507,
  internal: 500,
} as const

export type ProblemCode = keyof typeof problemStatus

/** A refusal for a person or program: a stable code, a sentence that says what to do, and facts. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly facts: JsonObject

  readonly #status: number | undefined

  /** `status`: in place of the code's usual one. */
  constructor(
    code: ProblemCode,
    detail: string,
    facts: JsonObject = {},
    options: ErrorOptions & { readonly status?: number } = {},
  ) {
    const { status, ...rest } = options
    super(detail, rest)
    this.#status = status
    this.code = code
    this.facts = facts
  }

  get status(): number {
    return this.#status ?? problemStatus[this.code]
  }
}

/**
 * The fact of a failure that certainly changed nothing. Clients take a failure without it as one
 * that may have changed something.
 */
export const nothingChanged = { nothingChanged: true } as const

/**
 * The facts of a problem for its caller. Each `invalid_request` has `field` and `errors`
 * (`{field, message}`), whoever found it; the field `''` is the body or the call as a whole.
 */
export function factsForCaller({ code, facts, message: detail }: Problem): JsonObject {
  if (code !== 'invalid_request' || Array.isArray(facts['errors'])) return facts
  const field = typeof facts['field'] === 'string' ? facts['field'] : ''
  const after = detail.startsWith(field) ? detail.slice(field.length) : ''
  const sentence = /^:? /.test(after) ? after.replace(/^:? /, '') : detail
  return { ...facts, field, errors: [{ field, message: facts['message'] ?? sentence }] }
}

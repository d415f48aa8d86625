import type { Judgement } from '#domain/deciding/judgement.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { CallFacts, RefusalReason } from '#domain/requests/request.ts'
import type { Tool } from '#domain/tools/tool.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import type { RunTerms } from '../../core/run-terms.ts'

/** What allows a call to be carried out. */
export type Authorisation =
  | { readonly by: 'permit'; readonly permitId: string; readonly requestId: string }
  | { readonly by: 'grant'; readonly grantId: string }
  | { readonly by: 'policy' }

/** A verified call, ready to start. `digest` was computed from exactly this input. */
export interface ExecutionPlan {
  readonly kind: 'run'
  readonly tool: Tool
  readonly input: JsonObject
  /** of the input's canonical form in `content`; `null` when it is not stored yet */
  readonly inputHash: string | null
  readonly facts: CallFacts
  readonly digest: string
  readonly policyDigest: string
  readonly authorisation: Authorisation
  readonly workspace: Workspace
  readonly judgement: Judgement
  readonly terms: RunTerms
}

/** Why a call is not carried out, and what happens to it. */
export interface Refusal {
  readonly kind: 'refuse'
  readonly reason: RefusalReason
  /** for the trail: the check that failed; never an argument's value */
  readonly detail: string
  /** `ask`: opens a new request with this judgement; `result`: ends the call with this text */
  readonly then:
    | { readonly next: 'ask'; readonly judgement: Judgement; readonly input: JsonObject }
    | {
        readonly next: 'result'
        readonly type: 'error' | 'blocked' | 'cancelled' | 'denied'
        readonly text: string
      }
  /** the permit that was refused, if there was one */
  readonly permitId: string | null
  readonly policyDigest: string | null
}

import type { PrintedCommand } from '../tools/command.ts'
import type { CueSource } from '../policy/cues.ts'
import type { JsonObject } from '../json/json.ts'
import type { NarrowedScopes } from '../policy/narrowed-scopes.ts'
import type { Quorum } from '../requests/request.ts'
import type { EditsPolicy, Risk, Rule, Scope, Verdict } from '../policy/verdict.ts'

/** One line of an explanation (workers-and-policy.md, from call to verdict). */
export interface ExplainStep {
  readonly step: string
  readonly outcome: string
  readonly detail: string
}

/** What happens to a request without a decision, `afterMs` after its opening. */
export type WaitingStep =
  | { readonly kind: 'remind'; readonly afterMs: number }
  | { readonly kind: 'escalate'; readonly afterMs: number; readonly addTeams: readonly string[] }

/** Why the routing has a value; `source` is `file:line`, or `null` for a default. */
export interface RoutingWhy {
  readonly text: string
  readonly source: string | null
}

/** The same as frozen into requests; without a text, `source` is used. */
export interface FrozenWhy {
  readonly text?: string
  readonly source?: string
}

/** The routing of an `ask`, frozen into the request when it opens. Durations in milliseconds. */
export interface Routing {
  readonly queue: string
  readonly team: string
  readonly quorum: Quorum
  readonly quorumText: string
  readonly expiresAfterMs: number
  readonly permitForMs: number
  readonly scopes: readonly Scope[]
  /** why usual scopes are not offered; absent when there are none */
  readonly narrowed?: NarrowedScopes
  readonly edits: EditsPolicy
  readonly selfApproval: boolean
  readonly signature: 'optional' | 'required'
  /** in the order of their times; absent when there are none */
  readonly steps?: readonly WaitingStep[]
  /**
   * the teams that escalations have added, each once, also while the call is in a queue where they
   * have no place; absent: none
   */
  readonly addedTeams?: readonly string[]
  /** absent: all are defaults */
  readonly why?: RoutingWhys
}

/** Why this queue, this risk and this quorum; one that is absent is a default. */
export interface RoutingWhys {
  readonly queue?: FrozenWhy
  readonly risk?: FrozenWhy
  readonly quorum?: FrozenWhy
}

/** The text of a frozen reason, or of a default where there is none. */
export function routingWhy(frozen: FrozenWhy | undefined): RoutingWhy {
  if (frozen === undefined) return { text: 'default', source: null }
  return { text: frozen.text ?? 'configured', source: frozen.source ?? null }
}

/**
 * An attachment of a delegation that asks because of its zone's `read` or `share`, and that rule
 * (product.md 23).
 */
export interface AttachmentAsk {
  readonly path: string
  readonly rule: Rule
  readonly risk: Risk
  readonly routing: Routing
}

/**
 * The judgement of one call. `input` is the canonical form; `digest` covers `{tool, input, hash of
 * the tool's definition}`.
 */
export interface Judgement {
  readonly verdict: Verdict
  readonly rule: Rule | null
  /** a sentence: for the model when blocked or error, for people otherwise */
  readonly reason: string
  readonly tool: string
  readonly input: JsonObject
  readonly digest: string
  readonly toolHash: string
  readonly risk: Risk
  readonly readOnly: boolean
  readonly policyDigest: string
  /** present when the verdict is `ask` */
  readonly routing: Routing | null
  /** of a delegation that asks: the attachments that need an approval of their own; absent: none */
  readonly attachments?: readonly AttachmentAsk[]
  /** the grant that pre-approved the call, if there is one */
  readonly grantId: string | null
  /**
   * How a command runs that rules alone pre-approved: as it was analysed. `null` for every other
   * call, including one that a person, a grant (a person's approval of exactly this text) or the
   * mode approved: that runs exactly as shown.
   */
  readonly printed: PrintedCommand | null
  readonly steps: readonly ExplainStep[]
  /** the call's cues; absent: none */
  readonly cues?: readonly CueSource[]
}

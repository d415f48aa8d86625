import type { CueId } from '#domain/policy/cues.ts'
import type { Quorum } from '#domain/requests/request.ts'
import type { ApprovalWord, Risk, Scope } from '#domain/policy/verdict.ts'

/** `null`: absent, matches all. One value of each list that is present must match. */
export interface When {
  /** names or globs of tools */
  readonly tool: readonly string[] | null
  /** globs, relative to the workspace root */
  readonly path: readonly string[] | null
  readonly worker: readonly string[] | null
  readonly queue: readonly string[] | null
  /** shell patterns */
  readonly command: readonly string[] | null
  readonly risk: readonly Risk[] | null
  /** ids of cues (product.md 38) */
  readonly cue: readonly CueId[] | null
}

export interface RoutingEntry {
  readonly when: When
  /** `null`: the worker's queue, else the default one */
  readonly queue: string | null
  readonly risk: Risk | null
  readonly quorum: QuorumSetting | null
  /** `null`: the tool's scopes, without `command` */
  readonly scopes: readonly Scope[] | null
  readonly source: string
}

/** `count` is of the queue's team. */
export type QuorumSetting = { readonly count: number } | { readonly places: Quorum }

export interface Overlay {
  readonly when: When
  readonly consent: Consent
}

/** The consent in a worker file, zone or overlay, with its place. */
export interface Consent {
  readonly approval: ApprovalWord
  /** the text of a block for the model, and of an ask for people */
  readonly reason: string | null
  readonly source: string
}

import type { CueId } from '#domain/policy/cues.ts'
import type { Quorum } from '#domain/requests/request.ts'
import type { ApprovalWord, Risk, Scope } from '#domain/policy/verdict.ts'

/**
 * `null`: not given, matches everything. Within one list any value may match; all that are given
 * must match.
 */
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
  /** `null`: what the tool offers, but for `command` */
  readonly scopes: readonly Scope[] | null
  readonly source: string
}

/** `count` is of the queue's team. */
export type QuorumSetting = { readonly count: number } | { readonly places: Quorum }

export interface Overlay {
  readonly when: When
  readonly consent: Consent
}

/** A worker file's, zone's or overlay's word on consent, with where it is written. */
export interface Consent {
  readonly approval: ApprovalWord
  /** what the model is told of a block, what people read beside an ask */
  readonly reason: string | null
  readonly source: string
}

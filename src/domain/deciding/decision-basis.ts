import type { Quorum } from '../requests/request.ts'

/**
 * What a decision was judged by, kept with its event so that others can judge it again without the
 * database: the quorum and the people behind the request as they were frozen, and the decider's
 * teams as they were then (audit.md, verifying).
 */
export interface DecisionBasis {
  readonly quorum: Quorum
  readonly selfApproval: boolean
  /** ids of the people behind the request, sorted */
  readonly principals: readonly string[]
  /** the request's deadline, ISO 8601 */
  readonly expiresAt: string
  /** the database's clock when it was judged, ISO 8601: its event is written a little later */
  readonly judgedAt: string
  /** of the decider: those that the quorum names */
  readonly teams: readonly string[]
  /** an approval carries a passkey's signature; absent where none is needed */
  readonly signature?: 'required'
}

/** A vote that counts, and the place of the quorum that it fills. */
export interface CountedVote {
  readonly personId: string
  readonly team: string
}

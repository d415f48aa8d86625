import type { Quorum } from '../requests/request.ts'

/**
 * What a decision was judged by, stored in its event so that a verifier can judge it again without
 * the database: the frozen quorum and people behind the request, and the decider's teams at that
 * time (audit.md, verifying).
 */
export interface DecisionBasis {
  readonly quorum: Quorum
  readonly selfApproval: boolean
  /** ids of the people behind the request, sorted */
  readonly principals: readonly string[]
  /** the request's deadline, ISO 8601 */
  readonly expiresAt: string
  /** the database's clock at the judgement, ISO 8601; the event is written a little later */
  readonly judgedAt: string
  /** the decider's teams among those of the quorum */
  readonly teams: readonly string[]
  /** other rows of the same human as the decider, sorted; absent: there are none */
  readonly otherIds?: readonly string[]
  /** an approval carries a passkey's signature; absent where none is needed */
  readonly signature?: 'required'
}

/** A vote that counts, and the place of the quorum that it fills. */
export interface CountedVote {
  readonly personId: string
  readonly team: string
}

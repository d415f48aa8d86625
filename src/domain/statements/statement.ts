import type { DecisionVerb } from '../requests/request.ts'
import type { GrantedCommand } from '../deciding/grant-reach.ts'
import type { RunMode, Scope } from '../policy/verdict.ts'

/**
 * What the API process signs with its Ed25519 key (security.md 13), in canonical JSON behind a
 * domain prefix. The executor verifies these for every call and never trusts a row.
 */
export interface RunStatement {
  readonly version: 1
  readonly runId: string
  readonly rootRunId: string
  readonly parentCallId: string | null
  /** the run above; absent of a root, whose statements were signed before there were others */
  readonly parentRunId?: string
  /** the run whose transcript a fork goes on with; absent of all others */
  readonly forkedFrom?: string
  /** the request without whose approval the run does not begin; absent where nobody was asked */
  readonly startRequestId?: string
  readonly workerName: string
  readonly workerDigest: string
  readonly inputDigest: string
  readonly mode: RunMode
  /** `null`: nobody, a trigger */
  readonly startedBy: string | null
  /** name of the workspace that it works in; absent: `default` */
  readonly workspace?: string
  /** where its worktree begins; absent: it works in the folder of the workspace itself */
  readonly worktree?: { readonly base: string; readonly baseCommit: string }
}

export interface PermitStatement {
  readonly version: 1
  readonly permitId: string
  readonly requestId: string
  readonly revision: number
  readonly runId: string | null
  readonly callId: string | null
  readonly digest: string
  /** hash of the canonical `CallFacts` that were shown */
  readonly factsDigest: string
  readonly decision: DecisionVerb
  readonly deciders: readonly string[]
  readonly policyDigest: string
  readonly issuedAt: string
  readonly expiresAt: string
  readonly nonce: string
  /** the attempt this permit is for: 1, or more after an outcome check said `again` */
  readonly attempt: number
  readonly epoch: number
}

export interface GrantStatement {
  readonly version: 1
  readonly grantId: string
  readonly rootRunId: string
  readonly tool: string
  readonly toolHash: string
  readonly scope: Scope
  /** of the approved call; what scope `run` matches */
  readonly digest: string
  /** what scope `path` matches */
  readonly path: string | null
  readonly grantedBy: string
  /**
   * the queue and the teams of the quorum it was given under: its giver must still be in one of
   * them
   */
  readonly queue: string
  readonly teams: readonly string[]
  /** its giver was behind the request and the queue allowed that */
  readonly selfApproved: boolean
  readonly requestId: string
  readonly uses: number | null
  readonly expiresAt: string | null
  /** of a command: what must still be as it was approved */
  readonly command?: GrantedCommand
}

export interface ActivationStatement {
  readonly version: 1
  readonly policyDigest: string
  readonly previousDigest: string | null
  readonly activatedAt: string
  readonly sequence: number
  /** hash of the statement of the version before; absent of the first, and before there was any */
  readonly previousHash?: string
  /**
   * ids of the people who agreed: two where a second one has to; empty for the system, absent
   * before there was any
   */
  readonly people?: readonly string[]
}

/**
 * A version that a person wants in force and that takes a second person (workers-and-policy.md).
 */
export interface ProposalStatement {
  readonly version: 1
  readonly proposalId: string
  readonly policyDigest: string
  /** the version in force that it was compared with */
  readonly previousDigest: string
  readonly proposedBy: string
  readonly expiresAt: string
}

/**
 * What an MCP server said of its tools when a version took force (product.md 25): the API asked,
 * and signed the answer.
 */
export interface PinStatement {
  readonly version: 1
  /** sequence of the activation that it is for */
  readonly activation: number
  readonly policyDigest: string
  readonly worker: string
  readonly server: string
  /** hash of how the server is reached */
  readonly serverHash: string
  /** hash, in `content`, of the definitions */
  readonly definitionsHash: string
  readonly pinnedAt: string
}

/** Somebody has the worktree of a root run removed, with what is not merged. */
export interface DiscardStatement {
  readonly version: 1
  readonly rootRunId: string
  /** the canonical id of the person, or the id of the key */
  readonly by: string
  readonly discardedAt: string
}

export type StatementKind =
  | 'run'
  | 'permit'
  | 'grant'
  | 'activation'
  | 'proposal'
  | 'pin'
  | 'row'
  | 'discard'

/** A statement's exact bytes with its signature (base64url) and the id of the key that made it. */
export interface SignedStatement {
  readonly statement: string
  readonly signature: string
  readonly keyId: string
}

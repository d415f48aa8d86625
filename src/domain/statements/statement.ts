import type { DecisionVerb } from '../requests/request.ts'
import type { GrantedCommand } from '../deciding/grant-reach.ts'
import type { RunMode, Scope } from '../policy/verdict.ts'

/**
 * What the API process signs with its Ed25519 key (security.md 13), in canonical JSON after a
 * domain prefix. The executor verifies these for every call and never trusts a row.
 */
export interface RunStatement {
  readonly version: 1
  readonly runId: string
  readonly rootRunId: string
  readonly parentCallId: string | null
  /** the run above; absent for a root */
  readonly parentRunId?: string
  /** the run whose transcript a fork continues; absent: not a fork */
  readonly forkedFrom?: string
  /** the request that must be approved before the run begins; absent: it needs none */
  readonly startRequestId?: string
  readonly workerName: string
  readonly workerDigest: string
  readonly inputDigest: string
  readonly mode: RunMode
  /** `null`: nobody; a trigger started it */
  readonly startedBy: string | null
  /** name of its workspace; absent: `default` */
  readonly workspace?: string
  /** where its worktree begins; absent: it works in the folder of the workspace */
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
  /** hash of the canonical `CallFacts` of the presentation */
  readonly factsDigest: string
  readonly decision: DecisionVerb
  readonly deciders: readonly string[]
  readonly policyDigest: string
  readonly issuedAt: string
  readonly expiresAt: string
  readonly nonce: string
  /** the attempt this permit is for: 1, or more after an outcome check with the answer `again` */
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
  /** of the approved call; scope `run` compares it */
  readonly digest: string
  /** scope `path` compares it */
  readonly path: string | null
  readonly grantedBy: string
  /** the queue and the teams of its quorum: the giver must still be in one of them */
  readonly queue: string
  readonly teams: readonly string[]
  /** its giver was behind the request and the queue permitted that */
  readonly selfApproved: boolean
  readonly requestId: string
  readonly uses: number | null
  readonly expiresAt: string | null
  /** for a command: the facts that must be unchanged */
  readonly command?: GrantedCommand
}

export interface ActivationStatement {
  readonly version: 1
  readonly policyDigest: string
  readonly previousDigest: string | null
  readonly activatedAt: string
  readonly sequence: number
  /** hash of the previous version's statement; absent: the first, or from before this field */
  readonly previousHash?: string
  /**
   * ids of the people who agreed: two where a second one is needed; empty for the system, absent in
   * older statements
   */
  readonly people?: readonly string[]
}

/** A version that a person proposes and that needs a second person (workers-and-policy.md). */
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
 * An MCP server's tool definitions when a version took force (product.md 25): the API asked, and
 * signed the answer.
 */
export interface PinStatement {
  readonly version: 1
  /** sequence of the activation that it is for */
  readonly activation: number
  readonly policyDigest: string
  readonly worker: string
  readonly server: string
  /** hash of the server's address or command */
  readonly serverHash: string
  /** hash, in `content`, of the definitions */
  readonly definitionsHash: string
  readonly pinnedAt: string
}

/** Somebody discards the worktree of a root run, with all unmerged work. */
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

/** A statement's exact bytes with its signature (base64url) and the id of its key. */
export interface SignedStatement {
  readonly statement: string
  readonly signature: string
  readonly keyId: string
}

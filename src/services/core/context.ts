import type { Actor, Channel } from '#domain/actor.ts'
import type { AuditEntry } from '#domain/audit-event.ts'
import type { Seals } from '#domain/statements/row-seals.ts'
import type { Signer, Verifier } from '#domain/statements/statement-bytes.ts'
import type { Ledger, Memory } from './ledger.ts'
import type { Policy } from '#policy/policy.ts'
import type { Db, Tx } from '#store/database.ts'
import type { AnnouncedDecision, WrittenOutboxRow } from '#store/records/outbox.ts'
import type {
  AttachmentsAnswer,
  AttachmentsQuery,
  WorktreeBaseAnswer,
  WorkerTool,
  RemoteJudgement,
  JudgeQuery,
  ReplayAnswer,
  ReplayQuery,
  ServedTools,
} from './host-queries.ts'
import type { ServiceProcess } from './system.ts'

/** Structured log of ids, never of arguments (security.md 25). */
export interface Log {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

/** What every verb gets. Built once by a composition root; verbs never build clients. */
export interface ServiceContext {
  readonly db: Db
  readonly verifier: Verifier
  /** makes and verifies the seals of rows */
  readonly seals: Seals
  /** what this data folder remembers of acts that can happen only once */
  readonly ledger: Ledger
  /** the newest policy and epoch that this data folder has seen */
  readonly memory: Memory
  /** the current key of `DATA/run/host-proof`; `null`: this data folder has none */
  readonly hostProof: () => Promise<Uint8Array | null>
  readonly log: Log
  /** names this process in leases; new at every start */
  readonly processId: string
  readonly policies: PolicyReader
  /**
   * Wakes this process's relay for rows just committed, and returns at once. `null`: this process
   * has no relay.
   */
  readonly outboxCommitted: ((rows: readonly WrittenOutboxRow[]) => void) | null
  /**
   * Signals a decision before its commit. `false` or absent: the outbox delivers the signal after
   * the commit.
   */
  readonly outboxAnnounced?: (decision: AnnouncedDecision) => Promise<boolean> | undefined
  /** Counts the events that a unit of work committed, for metrics; absent: nothing is counted. */
  readonly onRecorded?: (entries: readonly AuditEntry[]) => void
}

/**
 * The policy versions that this installation has activated, each with a verified signature. Inside
 * a transaction it reads on that connection (`on`).
 */
export interface PolicyReader {
  inForce(on?: Tx): Promise<Policy>
  /** what `inForce` returned last in this process; `null`: nothing yet */
  lastTrusted(): Policy | null
  byDigest(digest: string, on?: Tx): Promise<Policy>
}

/** A context for a transaction: its database and its policy both use that one connection. */
export function within<Asks extends Pick<ServiceContext, 'db' | 'policies'>>(
  ctx: Asks,
  tx: Tx,
): Asks {
  const { policies } = ctx
  return {
    ...ctx,
    db: tx,
    policies: {
      inForce: () => policies.inForce(tx),
      lastTrusted: () => policies.lastTrusted(),
      byDigest: (digest) => policies.byDigest(digest, tx),
    },
  }
}

/** For what a process does by itself: workers, relay and timers. No route of the API has it. */
export interface SystemContext extends ServiceContext {
  readonly system: ServiceProcess
}

/** The context of the API process, which alone can sign. */
export interface SigningContext extends ServiceContext {
  readonly signer: Signer
  /** absolute path of the project folder */
  readonly projectDir: string
  /** the installation's own Temporal task queue, for workspaces that name none */
  readonly taskQueue: string
  /**
   * Judges a call on the host that has the workspace (workflow `judge`). Rejects with
   * `workspace_unreachable` after 10 s.
   */
  readonly judgeRemotely: (question: JudgeQuery) => Promise<RemoteJudgement>
  /**
   * The tools of a worker that only people may invoke, from the host that can load them. Rejects
   * with `workspace_unreachable` too.
   */
  readonly manualToolsOf: (worker: string) => Promise<readonly WorkerTool[]>
  /** All the tools of a worker, with their schemas. Rejects with `workspace_unreachable` too. */
  readonly toolsOf: (worker: string) => Promise<readonly WorkerTool[]>
  /**
   * What a server of the gateway offers, from the host that connects to it. Rejects with
   * `workspace_unreachable` too.
   */
  readonly servedTools: (server: string) => Promise<ServedTools>
  /** Reads the files for a run on the same host. Rejects with `workspace_unreachable` too. */
  readonly readAttachments: (question: AttachmentsQuery) => Promise<AttachmentsAnswer>
  /** Judges past calls again on the same host. Rejects with `workspace_unreachable` too. */
  readonly replayRemotely: (question: ReplayQuery) => Promise<ReplayAnswer>
  /**
   * Where the worktree of a run that starts now in a workspace begins. Rejects with
   * `workspace_unreachable` too.
   */
  readonly worktreeBase: (workspace: string) => Promise<WorktreeBaseAnswer>
  /**
   * Makes the host of a root run remove its worktree when that is due. Rejects with
   * `workspace_unreachable` too.
   */
  readonly removeWorktree: (rootRunId: string) => Promise<{ readonly removed: boolean }>
}

/** The context of the API process when it acts by itself. */
export interface SigningSystemContext extends SigningContext, SystemContext {}

/** Who calls a verb, and through which channel. `person.id` is the canonical person id. */
export interface Caller {
  readonly actor: Actor
  readonly channel: Channel
}

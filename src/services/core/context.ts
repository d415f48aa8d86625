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
  /** binds and verifies the rows that are believed */
  readonly seals: Seals
  /** what this data folder remembers of what happened once */
  readonly ledger: Ledger
  /** how far the installation had come when this data folder last looked */
  readonly memory: Memory
  /** the key of `DATA/run/host-proof` as it is now; `null`: this data folder has none */
  readonly hostProof: () => Promise<Uint8Array | null>
  readonly log: Log
  /** names this process in leases; new at every start */
  readonly processId: string
  readonly policies: PolicyReader
  /**
   * Wakes this process's relay for rows just committed; returns at once. `null`: this process has
   * no relay.
   */
  readonly outboxCommitted: ((rows: readonly WrittenOutboxRow[]) => void) | null
  /**
   * Signals a decision ahead of its commit; false, or nothing, when it is to be delivered after it
   * as usual.
   */
  readonly outboxAnnounced?: (decision: AnnouncedDecision) => Promise<boolean> | undefined
  /** Counts the events that a unit of work committed, for metrics; absent: nothing is counted. */
  readonly recorded?: (entries: readonly AuditEntry[]) => void
}

/**
 * The policy versions this installation has activated; every answer's activation signature was
 * verified. A transaction that is under way asks on its own connection (`on`).
 */
export interface PolicyReader {
  inForce(on?: Tx): Promise<Policy>
  byDigest(digest: string, on?: Tx): Promise<Policy>
}

/**
 * What asks the database and the policy, inside of a transaction: everything on that one
 * connection.
 */
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
      byDigest: (digest) => policies.byDigest(digest, tx),
    },
  }
}

/** For what a process does by itself: its workers, relay and timers. No route of the API has it. */
export interface SystemContext extends ServiceContext {
  readonly system: ServiceProcess
}

/** The API process: it alone can sign. */
export interface SigningContext extends ServiceContext {
  readonly signer: Signer
  /** absolute path of the project folder */
  readonly projectDir: string
  /** the installation's own Temporal task queue, of workspaces that name none */
  readonly taskQueue: string
  /**
   * Judges a call on the host that has the workspace (workflow `judge`). Rejects with
   * `workspace_unreachable` after 10 s.
   */
  readonly judgeRemotely: (question: JudgeQuery) => Promise<RemoteJudgement>
  /**
   * The tools of a worker that only people may invoke, of the host that can load them. Rejects
   * alike.
   */
  readonly manualToolsOf: (worker: string) => Promise<readonly WorkerTool[]>
  /** All the tools of a worker, with their schemas. Rejects alike. */
  readonly toolsOf: (worker: string) => Promise<readonly WorkerTool[]>
  /** What a server of the gateway offers, asked on the host that holds it. Rejects alike. */
  readonly servedTools: (server: string) => Promise<ServedTools>
  /** Reads the files that a run is to be given, on the same host. Rejects alike. */
  readonly readAttachments: (question: AttachmentsQuery) => Promise<AttachmentsAnswer>
  /** Judges past calls again, on the same host. Rejects alike. */
  readonly replayRemotely: (question: ReplayQuery) => Promise<ReplayAnswer>
  /** Where the worktree of a run that starts now in a workspace begins. Rejects alike. */
  readonly worktreeBase: (workspace: string) => Promise<WorktreeBaseAnswer>
  /** Has the host of a root run remove its worktree when that is due. Rejects alike. */
  readonly removeWorktree: (rootRunId: string) => Promise<{ readonly removed: boolean }>
}

/** The API process acting by itself. */
export interface SigningSystemContext extends SigningContext, SystemContext {}

/** Who calls a verb, and through which channel. `person.id` is the canonical person id. */
export interface Caller {
  readonly actor: Actor
  readonly channel: Channel
}

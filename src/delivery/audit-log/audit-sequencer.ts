import { sql } from 'kysely'
import { formatVerifierKey } from '#evidence/note/note-key.ts'
import type { NoteSigner } from '#evidence/note/signed-note.ts'
import type { Log } from '#services/core/context.ts'
import { advisoryLocks } from '#store/connection/advisory-locks.ts'
import type { Db } from '#store/database.ts'
import { readLogKey } from '#store/installation-keys.ts'
import { appendToLog, leavesAtOnce } from './append-to-log.ts'
import { RepeatedWork } from '../repeated-work.ts'
import type { TrailNotifications } from './trail-notifications.ts'
import { fallBackPausesMs } from '../listener.ts'

/**
 * An event is covered within two seconds (audit.md, Form), including a second for the work; a
 * shorter pause would make more checkpoints.
 */
const gatherMs = 1000
const logAgainMs = 60_000

/**
 * Adds events to the log: takes committed events without a leaf, and covers them with a signed
 * checkpoint. Every API process has one; one of them works at a time.
 */
export class AuditSequencer implements AsyncDisposable {
  readonly #rounds: RepeatedWork
  #logged = { error: '', at: 0 }

  constructor(options: {
    readonly db: Db
    readonly signer: NoteSigner
    readonly log: Log
    readonly trail: TrailNotifications
  }) {
    const { db, signer, log, trail } = options
    this.#rounds = new RepeatedWork({
      everyMs: () => trail.restMs(fallBackPausesMs),
      gatherMs,
      work: async () => {
        while ((await sequenceAudit(db, signer)) === leavesAtOnce);
      },
      onError: (error) => this.#logError(String(error), log),
    })
    trail.onEvents(() => this.#rounds.wake())
  }

  /** The same error of every round is logged once, and then once in a while. */
  #logError(error: string, log: Log): void {
    const isRepeat =
      error === this.#logged.error && performance.now() - this.#logged.at < logAgainMs
    if (isRepeat) return
    this.#logged = { error, at: performance.now() }
    log.error({ error }, 'events could not be added to the audit log; they are tried again')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#rounds[Symbol.asyncDispose]()
  }
}

/**
 * Appends one batch; 0 when nothing waits or another process is working. Rejects when the log's key
 * was replaced.
 */
export async function sequenceAudit(db: Db, signer: NoteSigner): Promise<number> {
  const openPlaces = await db.selectFrom('audit_unsequenced').select('place').limit(1).execute()
  if (openPlaces.length === 0) return 0
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(${advisoryLocks.auditSequencer}) as mine
    `.execute(tx)
    if (rows[0]?.mine !== true) return 0
    const inForce = await readLogKey(tx)
    if (inForce !== null && inForce.vkey !== formatVerifierKey(signer.key)) {
      throw new Error(`The log is signed with ${inForce.vkey}, and this process has another key`)
    }
    return appendToLog(tx, signer)
  })
}

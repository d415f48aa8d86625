import type { AuditEntry } from '../domain/audit-event.ts'
import type { JsonObject } from '../domain/json.ts'
import type { Tx } from '../store/database.ts'
import type { StreamEventType } from '../domain/stream-event.ts'
import type { StreamEvent } from '../store/event.ts'
import type { AnnouncedDecision, OutboxRow, WrittenOutboxRow } from '../store/outbox.ts'
import { isPlanOutdated } from '../store/connection/preparing-pool.ts'
import { writeRecords } from '../store/records.ts'
import { sideBySide } from '../store/connection/side-by-side.ts'
import type { ServiceContext } from './context.ts'

/**
 * One transaction with what belongs into it: the trail, the outbox and the live stream. These are written together,
 * as its last statement, in the order they were told in; an event that was told before is told once.
 */
export interface UnitOfWork {
  readonly tx: Tx
  audit(...entries: readonly AuditEntry[]): Promise<void>
  enqueue(row: OutboxRow): Promise<void>
  /**
   * Signals a decision while it is still being committed, which hides the commit behind Temporal's own work. A signal
   * only wakes: who comes early waits for the run's lock, which the caller must hold, and finds nothing if it is undone.
   */
  announce(decision: AnnouncedDecision): void
  event(type: StreamEventType, subject: JsonObject): Promise<void>
}

/** How often a unit is tried when Postgres ends it for the sake of others. */
const triesMost = 5

/**
 * Runs `work` in one transaction: everything or nothing. After the commit, and only then, the outbox rows
 * it wrote are handed to this process's relay, without making the caller wait. A unit that Postgres ended because
 * of a deadlock or a conflict is worked again from the start: `work` keeps nothing outside of its transaction.
 */
export async function inUnitOfWork<T>(
  ctx: ServiceContext,
  work: (unit: UnitOfWork) => Promise<T>,
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await onceInUnitOfWork(ctx, work)
    } catch (error) {
      if (tried >= triesMost || !isConflict(error)) throw error
      ctx.log.warn({ tried, err: error }, 'A transaction met another one and is tried again')
    }
  }
}

async function onceInUnitOfWork<T>(
  ctx: ServiceContext,
  work: (unit: UnitOfWork) => Promise<T>,
): Promise<T> {
  const audit: AuditEntry[] = []
  const events = new Map<string, StreamEvent>()
  const outbox: OutboxRow[] = []
  let told: Promise<boolean> | undefined
  let committed: readonly WrittenOutboxRow[] = []
  const result = await ctx.db.transaction().execute(async (alone) => {
    const tx = await sideBySide(alone)
    const done = await work({
      tx,
      audit: async (...entries) => void audit.push(...entries),
      enqueue: async (row) => void outbox.push(row),
      announce: (decision) => {
        told = ctx.outboxAnnounced?.(decision)
      },
      event: async (type, subject) =>
        void events.set(JSON.stringify([type, subject]), { type, subject }),
    })
    const owner = ctx.outboxCommitted === null ? null : ctx.processId
    committed = await writeRecords(tx, { audit, events: [...events.values()], outbox }, owner)
    return done
  })
  if (audit.length > 0) ctx.recorded?.(audit)
  const [row] = committed
  if (told !== undefined && row?.kind === 'signal_decided' && committed.length === 1) {
    committed = [{ ...row, told }]
  }
  if (committed.length > 0) ctx.outboxCommitted?.(committed)
  return result
}

/** `deadlock_detected`, `serialization_failure`, a changed schema: nothing was committed, and trying again may do. */
function isConflict(error: unknown): boolean {
  if (isPlanOutdated(error)) return true
  return (
    error instanceof Error && 'code' in error && (error.code === '40P01' || error.code === '40001')
  )
}

import type { AuditEntry } from '../domain/audit-event.ts'
import type { JsonObject } from '../domain/json.ts'
import { appendAudit } from '../store/audit.ts'
import type { Tx } from '../store/database.ts'
import { recordEvent, type StreamEventType } from '../store/event.ts'
import { enqueue, type OutboxRow } from '../store/outbox.ts'
import type { ServiceContext } from './context.ts'

/** One transaction with what belongs into it: the trail, the outbox and the live stream. */
export interface UnitOfWork {
  readonly tx: Tx
  audit(...entries: readonly AuditEntry[]): Promise<void>
  enqueue(row: OutboxRow): Promise<void>
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
  const committed: string[] = []
  const result = await ctx.db.transaction().execute((tx) =>
    work({
      tx,
      audit: (...entries) => appendAudit(tx, entries),
      enqueue: async (row) => {
        committed.push(await enqueue(tx, row, ctx.outboxCommitted === null ? null : ctx.processId))
      },
      event: (type, subject) => recordEvent(tx, type, subject),
    }),
  )
  if (committed.length > 0) ctx.outboxCommitted?.(committed)
  return result
}

/** `deadlock_detected` and `serialization_failure`: nothing was committed, and trying again may do. */
function isConflict(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && (error.code === '40P01' || error.code === '40001')
  )
}

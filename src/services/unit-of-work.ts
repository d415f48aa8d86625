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

/**
 * Runs `work` in one transaction: everything or nothing. After the commit, and only then, the outbox rows
 * it wrote are handed to this process's relay, without making the caller wait.
 */
export async function inUnitOfWork<T>(
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

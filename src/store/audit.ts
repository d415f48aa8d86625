import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { AuditEntry } from '../domain/audit-event.ts'
import { canonicalJson, hashBytes } from '../domain/digest.ts'
import { limits } from '../domain/limits.ts'
import type { Tx } from './database.ts'

/**
 * Appends events to the trail in the caller's transaction; if that fails, the thing they describe does not happen.
 * Events of one request are chained by `sequence` and `previous` (the hash of the event before):
 * the caller holds the request's row lock. Stores one canonical JSON document an event, at most 60 KiB (audit.md).
 */
export async function appendAudit(tx: Tx, entries: readonly AuditEntry[]): Promise<void> {
  for (const entry of entries) {
    const clock = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(tx)
    const at = clock.rows[0]?.at ?? new Date(Number.NaN)
    const link = entry.requestId === undefined ? null : await lastOfChain(tx, entry.requestId)
    const id = uuidv7()
    const document = canonicalJson({
      id,
      at: at.toISOString(),
      type: entry.type,
      actor: entry.actor,
      channel: entry.channel,
      ...present('runId', entry.runId),
      ...present('requestId', entry.requestId),
      ...present('callId', entry.callId),
      ...present('digest', entry.digest),
      ...present('policyDigest', entry.policyDigest),
      detail: entry.detail,
      ...(link === null ? {} : { sequence: link.sequence, previous: link.previous }),
    })
    if (Buffer.byteLength(document) > limits.auditEventBytes) {
      throw new RangeError(
        `An audit event of type ${entry.type} is over ${limits.auditEventBytes} bytes`,
      )
    }
    await tx
      .insertInto('audit_event')
      .values({
        id,
        at,
        type: entry.type,
        actor_type: entry.actor.type,
        actor_id: 'id' in entry.actor ? entry.actor.id : null,
        run_id: entry.runId ?? null,
        request_id: entry.requestId ?? null,
        call_id: entry.callId ?? null,
        sequence: link?.sequence ?? null,
        document,
      })
      .execute()
  }
}

function present(key: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [key]: value }
}

async function lastOfChain(
  tx: Tx,
  requestId: string,
): Promise<{ sequence: number; previous: string | null }> {
  const last = await tx
    .selectFrom('audit_event')
    .select(['sequence', 'document'])
    .where('request_id', '=', requestId)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last === undefined) return { sequence: 1, previous: null }
  return { sequence: (last.sequence ?? 0) + 1, previous: hashBytes(last.document) }
}

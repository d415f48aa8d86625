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
    const { at, link } = await clockAndChain(tx, entry.requestId ?? null)
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
        // A policy's id is its digest, which the document names: nobody looks for its events one version at a time.
        actor_id: 'id' in entry.actor && entry.actor.type !== 'policy' ? entry.actor.id : null,
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

/** The database's clock and, for an event of a request, its place in that request's chain: one query. */
async function clockAndChain(
  tx: Tx,
  requestId: string | null,
): Promise<{ at: Date; link: { sequence: number; previous: string | null } | null }> {
  const { rows } = await sql<{ at: Date; sequence: number | null; document: string | null }>`
    select clock_timestamp() as at, last.sequence, last.document
    from (select 1) as one
    left join lateral (
      select sequence, document from audit_event
      where request_id = ${requestId} order by sequence desc limit 1
    ) as last on true
  `.execute(tx)
  const row = rows[0]
  if (row === undefined) throw new Error('The database did not tell the time')
  if (requestId === null) return { at: row.at, link: null }
  const { sequence, document } = row
  if (document === null) return { at: row.at, link: { sequence: 1, previous: null } }
  return { at: row.at, link: { sequence: (sequence ?? 0) + 1, previous: hashBytes(document) } }
}

import { sql, type RawBuilder } from 'kysely'
import { newId } from '#domain/new-id.ts'
import type { AuditEntry } from '#domain/audit-event.ts'
import { canonicalJson, hashBytes } from '#domain/json/digest.ts'
import { limits } from '#domain/limits.ts'
import { eachOf } from '../connection/each-of.ts'
import type { Tx } from '../database.ts'

/** Notified when the trail has new events. */
export const auditChannel = 'countersign_audit'

/** A row of `audit_event`, ready to be inserted; `at` is ISO 8601. */
export interface AuditRow {
  readonly id: string
  readonly at: string
  readonly type: string
  readonly actor_type: string
  readonly actor_id: string | null
  readonly run_id: string | null
  readonly request_id: string | null
  readonly call_id: string | null
  readonly sequence: number | null
  readonly document: string
}

/** The newest event of a request: the next one is chained to it. */
interface Link {
  readonly sequence: number
  readonly hash: string | null
}

/** The newest event of a request, from its row; `null`: there is none. */
export type ChainEnd = { readonly sequence: number; readonly document: string } | null

/** Ends of chains that a transaction has read with the requests locked, and the time of reading. */
export interface ReadChains {
  readonly at: Date
  /** by request */
  readonly ends: ReadonlyMap<string, ChainEnd>
}

const firstLink: Link = { sequence: 0, hash: null }

/**
 * No request has so many events. A larger number means that SQL, not the service, added the last
 * event of the chain, and there may be no number left for the next one.
 */
const maxSequence = 1_000_000

/**
 * The end of the chain of a request in scope, as {@link ChainEnd} in JSON. An event that SQL added
 * may have no number, or one that no chain has.
 */
export function chainEndOf(requestId: RawBuilder<unknown>): RawBuilder<ChainEnd> {
  return sql<ChainEnd>`(
    select json_build_object('sequence', last.sequence, 'document', last.document)
    from audit_event last where last.request_id = ${requestId} and last.sequence > 0
    order by last.sequence desc limit 1)`
}

/**
 * Events as rows of the trail, in order. Events of one request are chained by `sequence` and
 * `previous` (the hash of the event before). The caller must hold the request's row lock. Each
 * event is one canonical JSON document of at most 60 KiB (audit.md).
 */
export async function auditRows(
  tx: Tx,
  entries: readonly AuditEntry[],
  read?: ReadChains,
): Promise<AuditRow[]> {
  if (entries.length === 0) return []
  const { at, links } = chainsWithoutQuery(entries, read) ?? (await clockAndChains(tx, entries))
  return entries.map((entry) => {
    const id = newId()
    const requestId = entry.requestId ?? null
    const last = requestId === null ? null : (links.get(requestId) ?? firstLink)
    const link = last === null ? {} : { sequence: last.sequence + 1, previous: last.hash }
    const document = canonicalJson({
      id,
      at,
      type: entry.type,
      actor: actorOf(entry),
      channel: entry.channel,
      ...present('runId', entry.runId),
      ...present('requestId', entry.requestId),
      ...present('callId', entry.callId),
      ...present('digest', entry.digest),
      ...present('policyDigest', entry.policyDigest),
      detail: entry.detail,
      ...link,
    })
    if (Buffer.byteLength(document) > limits.auditEventBytes) {
      throw new RangeError(
        `An audit event of type ${entry.type} is over ${limits.auditEventBytes} bytes`,
      )
    }
    const sequence = last === null ? null : last.sequence + 1
    if (requestId !== null && sequence !== null) {
      links.set(requestId, { sequence, hash: hashBytes(document) })
    }
    return {
      id,
      at,
      type: entry.type,
      actor_type: entry.actor.type,
      // A policy's id is its digest, which the document has: the events of one version are never
      // searched by actor.
      actor_id: 'id' in entry.actor && entry.actor.type !== 'policy' ? entry.actor.id : null,
      run_id: entry.runId ?? null,
      request_id: requestId,
      call_id: entry.callId ?? null,
      sequence,
      document,
    }
  })
}

/** Omits the policy's id when the event has the same digest anyway. */
function actorOf({ actor, policyDigest }: AuditEntry): object {
  return actor.type === 'policy' && actor.id === policyDigest ? { type: actor.type } : actor
}

function present(key: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [key]: value }
}

/** The facts that the transaction has read already, if the entries need no others. */
function chainsWithoutQuery(
  entries: readonly AuditEntry[],
  read: ReadChains | undefined,
): { at: string; links: Map<string, Link> } | null {
  if (read === undefined) return null
  const links = new Map<string, Link>()
  for (const { requestId } of entries) {
    if (requestId === undefined) continue
    const end = read.ends.get(requestId)
    if (end === undefined || isForged(end)) return null
    if (end !== null) links.set(requestId, linkTo(end))
  }
  return { at: read.at.toISOString(), links }
}

function isForged(end: ChainEnd): boolean {
  return end !== null && end.sequence > maxSequence
}

function linkTo({ sequence, document }: NonNullable<ChainEnd>): Link {
  return { sequence, hash: hashBytes(document) }
}

/**
 * The database's clock and the last events of the requests' chains. It makes one query, and another
 * one for each chain that ends with an event which the service did not write.
 */
async function clockAndChains(
  tx: Tx,
  entries: readonly AuditEntry[],
): Promise<{ at: string; links: Map<string, Link> }> {
  const counts = countBy(entries.flatMap((entry) => entry.requestId ?? []))
  const { rows } = await sql<{ at: Date; id: string | null; end: ChainEnd }>`
    select clock_timestamp() as at, asked.id,
      ${chainEndOf(sql`asked.id`)} as "end"
    from (select 1) as one
    left join (select id::uuid from ${eachOf([...counts.keys()])} as texts(id)) as asked on true
  `.execute(tx)
  const [first] = rows
  if (first === undefined) throw new Error('The database did not return the time')
  const links = new Map<string, Link>()
  for (const { id, end: last } of rows) {
    if (id === null) continue
    const end = isForged(last) ? await endBeforeGap(tx, id, counts.get(id) ?? 1) : last
    if (end !== null) links.set(id, linkTo(end))
  }
  return { at: first.at.toISOString(), links }
}

function countBy(requestIds: readonly string[]): ReadonlyMap<string, number> {
  const groups = Map.groupBy(requestIds, (id) => id)
  return new Map(Array.from(groups, ([id, { length }]) => [id, length]))
}

/** The first event of a request that is followed by `numbers` free sequence numbers. */
async function endBeforeGap(tx: Tx, requestId: string, numbers: number): Promise<ChainEnd> {
  const { rows } = await sql<NonNullable<ChainEnd>>`
    select sequence, document from audit_event as event
    where request_id = ${requestId} and sequence between 1 and ${maxSequence} and not exists (
      select from audit_event as later where later.request_id = event.request_id
        and later.sequence > event.sequence and later.sequence <= event.sequence + ${numbers}::int)
    order by sequence limit 1
  `.execute(tx)
  return rows[0] ?? null
}

import type { ErasedView } from '#api/schemas/requests/erasure.ts'
import type { RecordOf } from '../core/record-of.ts'
import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import { dropReleased, releaseContent, stillUsed } from '#store/content/drop-content.ts'
import { eraseContents } from '#store/content/erased-content.ts'
import { together } from '#store/connection/side-by-side.ts'
import { toJsonb, type Tx } from '#store/database.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { aboutRequest } from '../requests/ending/end-request.ts'
import { putSaltedText } from '../requests/words/salted-text.ts'
import { inUnitOfWork, type UnitOfWork } from '../core/unit-of-work.ts'
import { lockCallOfRequest, type CallOfRequest } from '../requests/words/call-of-request.ts'
import { contentsOfCall, type ErasedPart } from '../requests/words/contents-of-call.ts'
import { cutReferences } from './cut-references.ts'
import { erasedText } from '../requests/words/erased-words.ts'
import { requestToErase } from './erasure-input.ts'
import { requireWords } from '../core/problems/invalid.ts'
import { refuseOpenCall } from './refuse-open-call.ts'
import { byRight, type PersonActor } from '../core/authority.ts'

/** The counts of an erasure. */
export type ErasedContents = RecordOf<Omit<ErasedView, 'texts'>>

const noContents: ErasedContents = { requests: 0, contents: 0, bytes: 0, kept: 0 }

/** How many contents of earlier releases are looked at; a sweep takes the others. */
const dropAtOnce = 1000

/**
 * Erases the contents of a request's call: arguments, presentation, files, output and result, in
 * all revisions, wherever they are stored, and what the model wrote from then on. Hashes, sizes and
 * the trail stay. It erases all or nothing; a second call finds nothing. Takes the right
 * `activatePolicy`. Rejects with `not_found`, with `conflict` while the call is open or its run has
 * not ended, and with `invalid_request` without a reason. Audits `content.erased`.
 */
export async function eraseRequestContents(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string; readonly why: string },
): Promise<ErasedContents> {
  const { why } = input
  requireWords('why', why)
  const authority = await byRight(ctx, caller, 'activatePolicy')
  const target = await requestToErase(ctx.db, input.request)
  const erased = await inUnitOfWork(ctx, authority, async (unit) => {
    const call = await lockCallOfRequest(unit.tx, target)
    if (call === null) throw new Problem('not_found', 'There is no such request')
    if (await isErased(unit.tx, call.request.id)) return null
    await refuseOpenCall(unit.tx, call)
    return eraseCall(unit, authority.actor, call, why)
  })
  if (erased === null) return noContents
  await dropReleased(ctx.db, { only: erased.hashes })
  // Contents that were stored for the call and never became its result were released before.
  await dropReleased(ctx.db, { maxContents: dropAtOnce })
  return erased.counts
}

async function isErased(tx: Tx, requestId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('erased_request')
    .select('request_id')
    .where('request_id', '=', requestId)
    .executeTakeFirst()
  return row !== undefined
}

async function eraseCall(
  unit: UnitOfWork,
  actor: PersonActor,
  call: CallOfRequest,
  why: string,
): Promise<{ readonly counts: ErasedContents; readonly hashes: readonly string[] }> {
  const { tx } = unit
  const parts = await contentsOfCall(tx, call)
  const eraser = await eraserOf(tx, actor)
  const ids = call.requests.map(({ id }) => id)
  const notice = erasedText({ by: eraser.name, at: eraser.now })
  await keepSeals(unit, ids, () => cutReferences(tx, call, notice))
  const allParts = [...parts.values()].flat()
  const released = await release(tx, call, allParts, eraser.id)
  const whyHash = await putSaltedText(tx, why)
  for (const request of call.requests) {
    const ownParts = parts.get(request.id) ?? []
    await tx
      .insertInto('erased_request')
      .values({
        request_id: request.id,
        by_id: eraser.id,
        at: eraser.now,
        contents: toJsonb(ownParts),
      })
      .execute()
    const isTarget = request.id === call.request.id
    await unit.audit({
      type: 'content.erased',
      ...aboutRequest(request),
      detail: {
        of: 'contents',
        parts: Object.fromEntries(countParts(ownParts)),
        why: whyHash,
        ...(isTarget ? { ...released, requests: call.requests.length } : { with: call.request.id }),
      },
    })
    await unit.event('request.changed', { requestId: request.id, runId: request.run_id })
  }
  for (const run of [call.request.run_id, ...call.repeating]) {
    if (run !== null) await unit.event('run.changed', { runId: run })
  }
  const counts = { requests: call.requests.length, ...released }
  return { counts, hashes: allParts.map(({ hash }) => hash) }
}

async function eraserOf(
  tx: Tx,
  actor: PersonActor,
): Promise<{ id: string; name: string; now: Date }> {
  const { rows } = await sql<{ id: string; name: string; now: Date }>`
    select id, name, clock_timestamp() as now from person
    where id = ${actor.id}::uuid
  `.execute(tx)
  const [eraser] = rows
  if (eraser === undefined) throw new Error(`Person ${actor.id} no longer exists`)
  return eraser
}

/**
 * Bytes without another reference are deleted after the commit, with the input of a run that the
 * call started.
 */
async function release(
  tx: Tx,
  call: CallOfRequest,
  parts: readonly ErasedPart[],
  byId: string,
): Promise<Omit<ErasedContents, 'requests'>> {
  const sizes = new Map(parts.map(({ hash, bytes }) => [hash, bytes]))
  const hashes = [...sizes.keys()]
  const tasks = call.children.map((run) => run.input_digest)
  // Waits for runs that are being started with the same task: they keep it.
  if (tasks.length > 0) {
    await sql`select from content where hash = any(${tasks}) order by hash for update`.execute(tx)
  }
  // Forks have the same input, and so the same reference.
  const used = await stillUsed(tx, hashes, call.repeating)
  const removable = hashes.filter((hash) => !used.has(hash))
  await releaseContent(tx, hashes)
  // A run's signature covers the hash of its input, so its row keeps the reference.
  await eraseContents(
    tx,
    removable.filter((hash) => tasks.includes(hash)),
    byId,
  )
  return {
    contents: removable.length,
    bytes: removable.reduce((sum, hash) => sum + (sizes.get(hash) ?? 0), 0),
    kept: hashes.length - removable.length,
  }
}

function countParts(parts: readonly ErasedPart[]): Map<string, number> {
  const groups = Map.groupBy(parts, (part) => part.of)
  return new Map(Array.from(groups, ([of, group]) => [of, group.length]))
}

const tables = [
  { table: 'request', key: 'id' },
  { table: 'external_request', key: 'request_id' },
] as const

/**
 * Runs `cut`, which removes contents from rows of requests, and seals again the rows whose seals
 * held: the seals cover the texts of a call and the folder of its program.
 */
async function keepSeals(
  { tx, seals }: Pick<UnitOfWork, 'tx' | 'seals'>,
  requestIds: readonly string[],
  cut: () => Promise<void>,
): Promise<void> {
  const rowsOf = ({ table, key }: (typeof tables)[number], ids: readonly string[]) =>
    tx.selectFrom(table).selectAll().where(key, 'in', ids).execute()
  const vouched = await together(
    tables.map(async (one) => {
      const rows: Record<string, unknown>[] = await rowsOf(one, requestIds)
      return rows.filter((row) => seals.holds(one.table, row)).map((row) => String(row[one.key]))
    }),
  )
  await cut()
  for (const [index, one] of tables.entries()) {
    const ids = vouched[index] ?? []
    if (ids.length === 0) continue
    const rows: Record<string, unknown>[] = await rowsOf(one, ids)
    for (const row of rows) {
      await tx
        .updateTable(one.table)
        .set({ seal: seals.of(one.table, row) })
        .where(one.key, '=', String(row[one.key]))
        .execute()
    }
  }
}

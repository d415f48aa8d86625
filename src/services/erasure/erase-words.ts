import { sql } from 'kysely'
import { eventDocument } from '#store/audit/event-document.ts'
import { dropReleased, forgetRemoved, releaseContent } from '#store/content/drop-content.ts'
import { eraseContents } from '#store/content/erased-content.ts'
import { putContent } from '#store/content/content.ts'
import type { Tx } from '#store/database.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { findByAddress } from '../access/person-by-address.ts'
import { aboutRequest } from '../requests/ending/end-request.ts'
import { putSaltedText } from '../requests/words/salted-text.ts'
import { lockRequest, lockRun } from '../core/locks.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { requestToErase } from './erasure-input.ts'
import type { RequestLocation } from '../requests/people/find-request.ts'
import { requireWords } from '../core/problems/invalid.ts'
import { byRight, type Authority, type PersonActor } from '../core/authority.ts'

/** How many texts were erased, and in how many requests. */
export interface ErasedWords {
  readonly requests: number
  readonly texts: number
}

/**
 * Erases what people wrote about one request: comments, reasons, answers, summaries; with `person`
 * (an address) only what that person wrote. The commitments stay in the trail. Takes the right
 * `activatePolicy`. Rejects with `not_found` and `tampered`, and with `invalid_request` without a
 * reason. Audits `content.erased`.
 */
export async function eraseRequestWords(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string; readonly person?: string; readonly why: string },
): Promise<ErasedWords> {
  const { why } = input
  requireWords('why', why)
  const authority = await byRight(ctx, caller, 'activatePolicy')
  const person = input.person === undefined ? null : (await findByAddress(ctx, input.person)).id
  const target = await requestToErase(ctx.db, input.request)
  const { texts, released } = await eraseOf(ctx, authority, { target, person, why })
  await forget(ctx, released)
  return { requests: texts > 0 ? 1 : 0, texts }
}

/**
 * The same for everything that one person wrote, about any request, one request after the other,
 * and for the person's saved views. If it is interrupted, the next call continues.
 */
export async function erasePersonWords(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly person: string; readonly why: string },
): Promise<ErasedWords> {
  const { why } = input
  requireWords('why', why)
  const authority = await byRight(ctx, caller, 'activatePolicy')
  const { id: person } = await findByAddress(ctx, input.person)
  const { rows } = await sql<RequestLocation>`
    select id, run_id as "runId" from request where id in (
      select request_id from audit_event where actor_id = ${person} and request_id is not null
    ) order by id
  `.execute(ctx.db)
  // Names of views and words of filters are the person's own, and nothing else refers to them.
  await inUnitOfWork(ctx, authority, ({ tx }) =>
    tx.deleteFrom('saved_view').where('person_id', '=', person).execute(),
  )
  let [requests, texts] = [0, 0]
  for (const target of rows) {
    const erased = await eraseOf(ctx, authority, { target, person, why })
    await forget(ctx, erased.released)
    if (erased.texts > 0) requests += 1
    texts += erased.texts
  }
  return { requests, texts }
}

interface ErasedTexts {
  readonly texts: number
  /** contents that quoted them */
  readonly released: readonly string[]
}

/** Contents that quoted the words are deleted at once, unless others refer to the same bytes. */
async function forget(ctx: ServiceContext, released: readonly string[]): Promise<void> {
  if (released.length === 0) return
  await dropReleased(ctx.db, { only: released })
  await forgetRemoved(ctx.db, { only: released })
}

async function eraseOf(
  ctx: ServiceContext,
  authority: Authority<PersonActor>,
  erasure: {
    readonly target: RequestLocation
    readonly person: string | null
    readonly why: string
  },
): Promise<ErasedTexts> {
  const { target, person, why } = erasure
  return inUnitOfWork(ctx, authority, async (unit) => {
    const { tx } = unit
    if (target.runId !== null) await lockRun(tx, target.runId)
    const request = await lockRequest(tx, target.id)
    const words = await committedWords(tx, request.id, person)
    const hashes = await eraseContents(
      tx,
      words.map(({ hash }) => hash),
      authority.actor.id,
    )
    if (hashes.length === 0) return { texts: 0, released: [] }
    const hasQuote = words.some((word) => word.isQuoted && hashes.includes(word.hash))
    const released = hasQuote ? await replaceResult(tx, request.call_id) : []
    await unit.audit({
      type: 'content.erased',
      ...aboutRequest(request),
      detail: { of: 'words', personId: person, hashes, why: await putSaltedText(tx, why) },
    })
    await unit.event('request.changed', { requestId: request.id, runId: request.run_id })
    return { texts: hashes.length, released }
  })
}

/** Commitments to people's words in a request's events; `isQuoted`: its result has them. */
async function committedWords(
  tx: Tx,
  requestId: string,
  person: string | null,
): Promise<{ hash: string; isQuoted: boolean }[]> {
  const { rows } = await sql<{ hash: string; isQuoted: boolean }>`
    select commitment.hash, event.type = 'decision.recorded' as "isQuoted"
    from audit_event as event
    cross join lateral (select ${eventDocument} -> 'detail' as detail) as parsed
    cross join lateral (values (detail ->> 'reason'), (detail ->> 'text'), (detail ->> 'summary')
    ) as commitment(hash)
    where event.request_id = ${requestId} and commitment.hash like 'sha256:%'
      and (${person}::text is null or event.actor_id = ${person})
      and event.type <> 'content.erased'
  `.execute(tx)
  return rows
}

/** Results quote denials and answers. Returns contents that only they referred to. */
async function replaceResult(tx: Tx, callId: string | null): Promise<string[]> {
  if (callId === null) return []
  const call = await tx
    .selectFrom('tool_call')
    .select(['tool', 'result_type', 'result_text_hash', 'result_output_hash'])
    .where('id', '=', callId)
    .executeTakeFirstOrThrow()
  if (call.result_type !== 'denied' && call.tool !== 'ask_person') return []
  if (call.result_text_hash === null) return []
  const text = await putContent(tx, '[what a person said here was erased]')
  await tx
    .updateTable('tool_call')
    .set({ result_text_hash: text, result_output_hash: null })
    .where('id', '=', callId)
    .execute()
  const released = [call.result_text_hash, call.result_output_hash].flatMap((hash) => hash ?? [])
  await releaseContent(tx, released)
  return released
}

import { sql } from 'kysely'
import { newId } from '#domain/new-id.ts'
import type { CancelReason } from '#domain/requests/request.ts'
import type { EmailSettings } from '#policy/settings.ts'
import type { Seals } from '#domain/statements/row-seals.ts'
import { sealedDelivery } from '#services/requests/ending/sealed-delivery.ts'
import { waitsForCaller } from '#services/requests/lists/waits-for-caller.ts'
import { emailEndpointOf } from '#services/channels/webhooks/configured-endpoints.ts'
import type { Db, Tx } from '#store/database.ts'
import type { JsonRow } from '#store/json-row.ts'
import { isRequestVouched } from '../channels/body-matches-request.ts'
import { readTaskNotices, storedTask, type StoredTask } from '../channels/read-task-notices.ts'
import { digestMail, type DigestContent, type DigestEntry } from './digest-mail.ts'
import { digestSlot } from './digest-slot.ts'
import { outcomeInWords } from './outcome-in-words.ts'
import type { MailedRequest, MailPages } from './request-mail.ts'

const peopleAtOnce = 100
/** A digest lists at most this many requests and counts the rest. */
const maxListed = 30

export interface DigestRound extends MailPages {
  readonly settings: EmailSettings
  readonly seals: Seals
  /** the database's clock */
  readonly now: Date
}

/**
 * Stores the digests that are due: at most one for each person, of the newest slot, and none when
 * it would be empty. The person's slot moves in the transaction that stores the mail, so that only
 * one process makes it.
 */
export async function storeDueDigests(db: Db, round: DigestRound): Promise<void> {
  const { settings, now } = round
  const slot = digestSlot(now, settings.digest)
  for (;;) {
    const people = await duePeople(db, settings, slot)
    for (const person of people) await storeDigest(db, person, slot, round)
    if (people.length < peopleAtOnce) return
  }
}

interface DuePerson {
  readonly id: string
  readonly email: string
}

async function duePeople(db: Db, { choice }: EmailSettings, slot: Date): Promise<DuePerson[]> {
  const { rows } = await sql<DuePerson>`
    select person.id, person.email from person
      left join mail_choice on mail_choice.person_id = person.id
      left join mail_digest on mail_digest.person_id = person.id
    where person.disabled_at is null and coalesce(mail_choice.choice, ${choice}) = 'digest'
      and (mail_digest.told_until is null or mail_digest.told_until < ${slot})
    order by person.id limit ${peopleAtOnce}
  `.execute(db)
  return rows
}

async function storeDigest(
  db: Db,
  person: DuePerson,
  slot: Date,
  round: DigestRound,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const since = await takeSlot(tx, person.id, slot)
    if (since === null) return
    const mail = digestMail(
      await contentOf({ tx, seals: round.seals }, person.id, since),
      person.email,
      round,
    )
    if (mail === null) return
    await tx
      .insertInto('delivery')
      .values(
        sealedDelivery(round.seals, {
          endpoint: emailEndpointOf(round.settings).name,
          event_id: newId(),
          recipient: person.email,
          type: 'digest',
          request_id: null,
          body: JSON.stringify(mail),
        }),
      )
      .execute()
  })
}

/**
 * Moves the person to this slot and returns the one before. `null`: another process took it, or
 * this is the person's first slot.
 */
async function takeSlot(tx: Tx, personId: string, slot: Date): Promise<Date | null> {
  const insertion = await tx
    .insertInto('mail_digest')
    .values({ person_id: personId, told_until: slot })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (insertion.numInsertedOrUpdatedRows === 1n) return null
  const before = await tx
    .selectFrom('mail_digest')
    .select('told_until')
    .where('person_id', '=', personId)
    .where('told_until', '<', slot)
    .forUpdate()
    .executeTakeFirst()
  if (before === undefined) return null
  await tx
    .updateTable('mail_digest')
    .set({ told_until: slot })
    .where('person_id', '=', personId)
    .execute()
  return before.told_until
}

type ListedRow = MailedRequest & {
  readonly state: string
  readonly revision: number
  readonly cancel_reason: CancelReason | null
  readonly task: StoredTask | null
  readonly row: JsonRow
}

const columns = sql`request.id, request.number, request.kind, request.queue, request.risk, request.tool,
  request.title, request.expires_at, request.state, request.revision, request.cancel_reason, run.worker, null as outcome, ${storedTask} as task, to_jsonb(request) as row`

async function contentOf(
  { tx, seals }: { readonly tx: Tx; readonly seals: Seals },
  personId: string,
  since: Date,
): Promise<DigestContent> {
  const caller = { actor: { type: 'person', id: personId, name: '' }, channel: 'system' } as const
  const { rows: pendingRows } = await sql<
    ListedRow & {
      readonly fresh: boolean
      readonly handedOverBy: string | null
      readonly count: string
      readonly fresh_count: string
    }
  >`
    select ${columns}, request.created_at > ${since} as fresh, giver.name as "handedOverBy",
      count(*) over () as count,
      count(*) filter (where request.created_at > ${since}) over () as fresh_count
    from request left join run on run.id = request.run_id
      left join request_handover h on h.request_id = request.id and h.to_id = ${personId}
      left join person giver on giver.id = h.by_id
    where request.state = 'pending' and ${waitsForCaller(caller)}
    order by h.to_id is null, request.expires_at, request.id limit ${maxListed}
  `.execute(tx)
  const { rows: endedRows } = await sql<ListedRow & { readonly count: string }>`
    with removed as (delete from mail_news where person_id = ${personId} returning request_id),
    listed as materialized (
      select request.id, count(*) over () as count
      from removed join request on request.id = removed.request_id
      order by request.number limit ${maxListed}
    )
    select ${columns}, listed.count
    from listed join request on request.id = listed.id left join run on run.id = request.run_id
    order by request.number
  `.execute(tx)
  const waiting = pendingRows.filter((one) => isRequestVouched(seals, one))
  const ends = endedRows.filter((one) => isRequestVouched(seals, one))
  const endedRequests: DigestEntry[] = []
  for (const one of await withTasks(tx, ends)) {
    endedRequests.push({ ...one, outcome: await outcomeInWords(tx, one) })
  }
  return {
    waiting: await withTasks(tx, waiting),
    waitingCount: Number(pendingRows[0]?.count ?? 0),
    freshCount: Number(pendingRows[0]?.fresh_count ?? 0),
    ended: endedRequests,
    endedCount: Number(endedRows[0]?.count ?? 0),
  }
}

async function withTasks<T extends ListedRow>(tx: Tx, rows: readonly T[]) {
  const tasks = rows.map(({ task }) => task)
  const notices = await readTaskNotices(tx, tasks)
  return rows.map((row, index) => ({ ...row, task: notices[index] ?? null }))
}

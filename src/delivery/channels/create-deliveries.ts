import { sql } from 'kysely'
import { sealedDelivery } from '#services/requests/ending/sealed-delivery.ts'
import { advisoryLocks } from '#store/connection/advisory-locks.ts'
import type { Db, Tx } from '#store/database.ts'
import type { NotificationChannel } from './channel.ts'
import type { Requests } from './body-matches-request.ts'
import { withinLimit } from './hourly-limit.ts'
import { readChannelEvents, type ChannelEvent } from './channel-event.ts'

const eventsAtOnce = 200
/**
 * Marks an endpoint that is not configured now: it gets no deliveries. If it is configured again,
 * it gets none for the time in between.
 */
const retired = '-1'

/**
 * Creates the deliveries for the next numbered events that the channel subscribes to. Each event is
 * handled exactly once, because the cursor moves in the same transaction. A new channel starts with
 * events after its configuration. Returns whether there may be more.
 */
export async function createDeliveries(
  { db, seals }: Requests,
  channel: NotificationChannel,
): Promise<boolean> {
  if (await passOver(db, channel)) return false
  return db.transaction().execute(async (tx) => {
    const lock = await sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(${advisoryLocks.webhooks}) as mine
    `.execute(tx)
    if (lock.rows[0]?.mine !== true) return false
    return (await createNextDeliveries({ tx, seals }, channel)) === eventsAtOnce
  })
}

/**
 * Moves the cursor over all numbered events if the channel reaches nobody, in one statement.
 * Whoever can be reached later gets the events after that. Returns whether there is nothing else to
 * do.
 */
async function passOver(db: Db, { name, reachesAnybody }: NotificationChannel): Promise<boolean> {
  if (reachesAnybody === undefined) return false
  const { rows } = await sql<{ isPassed: boolean }>`
    with state as (
      select ${reachesAnybody} as "reachesAnybody",
        (select coalesce(max(sequence), 0) from event) as last
    ), passed as (
      update endpoint set told_until = last from state
      where name = ${name} and told_until <> ${retired}::bigint and told_until < last
        and not "reachesAnybody"
    )
    select not "reachesAnybody" and exists (
      select from endpoint where name = ${name} and told_until <> ${retired}::bigint
    ) as "isPassed" from state
  `.execute(db)
  return rows[0]?.isPassed === true
}

/** Gives up the pending deliveries of endpoints that are no longer configured. */
export async function retireEndpoints(db: Db, configured: readonly string[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const retiredEndpoints = await tx
      .updateTable('endpoint')
      .set({ told_until: retired, gone_address: null })
      .where('told_until', '<>', retired)
      .where(sql<boolean>`name <> all(${configured}::text[])`)
      .returning('name')
      .execute()
    if (retiredEndpoints.length === 0) return
    const names = retiredEndpoints.map(({ name }) => name)
    await giveUpPending(tx, names, 'the endpoint is no longer configured')
  })
}

/**
 * Gives up what waits for a receiver that says that it is gone: it gets no deliveries until its
 * address changes, or somebody sends one again.
 */
export async function endChannel(
  db: Db,
  { name, addressHash }: NotificationChannel,
): Promise<void> {
  if (addressHash === undefined) return
  await db.transaction().execute(async (tx) => {
    await tx
      .updateTable('endpoint')
      .set({ gone_address: addressHash })
      .where('name', '=', name)
      .execute()
    const why = 'the receiver answered 410 to another notification: it is gone'
    await giveUpPending(tx, [name], why)
  })
}

async function giveUpPending(tx: Tx, endpoints: readonly string[], why: string): Promise<void> {
  await tx
    .updateTable('delivery')
    .set({ state: 'dead', last_error: why, ended_at: sql`clock_timestamp()` })
    .where('state', '=', 'pending')
    .where('endpoint', 'in', endpoints)
    .execute()
}

interface DeliveryUnit {
  readonly tx: Tx
  readonly seals: Requests['seals']
}

/** Returns the number of events that it handled. */
async function createNextDeliveries(
  at: DeliveryUnit,
  channel: NotificationChannel,
): Promise<number> {
  const { tx } = at
  const { rows } = await sql<{ told_until: string; gone_address: string | null }>`
    insert into endpoint (name, told_until)
      values (${channel.name}, (select coalesce(max(sequence), 0) from event))
    on conflict (name) do update set told_until =
      case when endpoint.told_until = ${retired}::bigint then excluded.told_until else endpoint.told_until end,
      gone_address =
        case when endpoint.gone_address = ${channel.addressHash ?? ''} then endpoint.gone_address end
    returning told_until, gone_address
  `.execute(tx)
  const from = rows[0]?.told_until ?? '0'
  const events = await tx
    .selectFrom('event')
    .select(['id', 'sequence', 'type', 'subject', 'created_at'])
    .where('sequence', '>', from)
    .orderBy('sequence')
    .limit(sql.lit(eventsAtOnce))
    .execute()
  const last = events.at(-1)?.sequence
  if (last === undefined || last === null) return 0
  const subscribed = events.filter(({ type }) =>
    (channel.events as readonly string[]).includes(type),
  )
  const isLive = rows[0]?.gone_address == null
  if (isLive && subscribed.length > 0) {
    const about = await readChannelEvents(at, subscribed)
    for (const event of about) await compose(at, channel, event)
  }
  await tx
    .updateTable('endpoint')
    .set({ told_until: last })
    .where('name', '=', channel.name)
    .execute()
  return events.length
}

async function compose(
  { tx, seals }: DeliveryUnit,
  channel: NotificationChannel,
  event: ChannelEvent,
): Promise<void> {
  const { queues } = channel
  const queue = event.request?.queue
  if (queues !== null && (queue === undefined || !queues.includes(queue))) return
  const composed = await channel.compose(tx, event)
  const isLimited =
    (channel.limited as readonly string[] | undefined)?.includes(event.type) === true
  const messages = isLimited ? await withinLimit(tx, channel.name, event, composed) : composed
  if (messages.length === 0) return
  const rows = messages.map(({ recipient, body, notBefore }) => ({
    ...sealedDelivery(seals, {
      endpoint: channel.name,
      event_id: event.eventId,
      recipient,
      type: event.type,
      request_id: event.request?.id ?? null,
      body,
    }),
    ...(notBefore === undefined ? {} : { next_attempt_at: notBefore }),
  }))
  await tx.insertInto('delivery').values(rows).execute()
}

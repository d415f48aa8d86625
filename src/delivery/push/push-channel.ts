import { sql } from 'kysely'
import { isEndOfRequest, peopleEvents } from '#domain/channels/stream-event.ts'
import type { SystemContext } from '#services/core/context.ts'
import type { SessionTimes } from '#services/access/sessions/session-times.ts'
import { mailRecipients, type MailRecipient } from '#services/channels/mail/mail-recipients.ts'
import { pushChoicesOf, usualPush, type PushChoice } from '#services/channels/push/choose-push.ts'
import { devicesOf } from '#services/channels/push/list-devices.ts'
import { findPushTarget, pushEndpoint } from '#services/channels/push/push-subscription.ts'
import { forgetDevice } from '#services/channels/push/remove-device.ts'
import type { Tx } from '#store/database.ts'
import {
  finalOutcome,
  type NotificationChannel,
  type DueDelivery,
  type ChannelMessage,
  type SendOutcome,
} from '../channels/channel.ts'
import type { ChannelEvent, RequestFacts } from '../channels/channel-event.ts'
import { concernedPeople, isHandedTo, noLongerTheirs, readHandOver } from '../channels/hand-over.ts'
import { quietUntil } from './quiet-until.ts'
import { sendPush, type PushSender } from './send-push.ts'

export interface PushChannelOptions extends PushSender {
  readonly ctx: SystemContext
  readonly times: SessionTimes
}

/** Push services keep messages for at most 4 weeks. */
const maxTtlSeconds = 28 * 24 * 3600
const minTtlSeconds = 60

/**
 * Pushes to people's own devices. A message has only the id and number of a request, and of a
 * hand-over the id of the colleague; the browser of a signed-in person reads the rest.
 */
export function pushChannel(options: PushChannelOptions): NotificationChannel {
  return {
    name: pushEndpoint,
    kind: 'push',
    events: peopleEvents,
    queues: null,
    slots: { atOnce: 16, perRecipient: 2 },
    limited: peopleEvents,
    reachesAnybody: sql`exists (select from push_subscription)`,
    compose: (tx, event) => compose(tx, event, options),
    send: (due, stopping, timeoutMs) => send(due, options, { stopping, timeoutMs }),
  }
}

async function compose(
  tx: Tx,
  event: ChannelEvent,
  { times }: PushChannelOptions,
): Promise<readonly ChannelMessage[]> {
  const { type, at, request } = event
  if (request === null) return []
  const isEnd = isEndOfRequest(event)
  // The request may have ended by now: then only its end is sent.
  if (!isEnd && request.state !== 'pending') return []
  const handOver = await readHandOver(tx, event)
  const all = await mailRecipients(tx, request.id, 'nothing')
  const people = concernedPeople(event, handOver, all)
  const ids = people.map(({ id }) => id)
  const choices = await pushChoicesOf(tx, ids)
  const choiceOf = (id: string): PushChoice => choices.get(id) ?? usualPush
  const concerned = people.filter((person) =>
    isEnd
      ? isConcernedByEnd(person, choiceOf(person.id))
      : isAsked(person, request, choiceOf(person.id)),
  )
  const devices = await devicesOf(
    tx,
    concerned.map(({ id }) => id),
    times,
  )
  const body = JSON.stringify({
    requestId: request.id,
    number: Number(request.number),
    ...(type === 'request.handed_over' ? { handedOver: true, to: ids[0] } : {}),
  })
  return devices.map(({ id, personId }) => {
    const { quiet } = choiceOf(personId)
    const notBefore = quiet === null ? null : quietUntil(at, quiet)
    return { recipient: id, body, ...(notBefore === null ? {} : { notBefore }) }
  })
}

/** Whether a person gets this push: they may decide the request, and chose its risk. */
function isAsked(
  { hasDecided, mayDecide }: MailRecipient,
  { risk }: RequestFacts,
  { requests }: PushChoice,
): boolean {
  if (hasDecided || !mayDecide) return false
  return requests === 'all' || (requests === 'high' && risk === 'high')
}

/** Whether a person gets the push of the end of a request: they started its run. */
function isConcernedByEnd(
  { hasDecided, isStarter }: MailRecipient,
  { ended: ends }: PushChoice,
): boolean {
  return !hasDecided && isStarter && ends
}

async function send(
  due: DueDelivery,
  options: PushChannelOptions,
  attempt: { readonly stopping: AbortSignal; readonly timeoutMs: number },
): Promise<SendOutcome> {
  const { ctx, times } = options
  const request = await readRequest(options, due)
  if (request === null) return finalOutcome('the request no longer exists')
  if (!isEndOfRequest(due) && !request.isPending)
    return finalOutcome('the request had ended before it could be sent')
  if (due.type === 'request.handed_over' && !(await isOfColleague(options, due, request.id))) {
    return finalOutcome(noLongerTheirs)
  }
  const target = await findPushTarget(ctx, times, due.recipient)
  if (typeof target === 'string') return finalOutcome(target)
  const message = {
    text: due.body,
    ttlSeconds: Math.min(maxTtlSeconds, Math.max(minTtlSeconds, request.secondsLeft)),
    // 32 characters at most (RFC 8030): a request's id without hyphens.
    topic: request.id.replaceAll('-', ''),
    urgency: request.risk === 'high' ? ('high' as const) : ('normal' as const),
  }
  const { outcome, isUnknownDevice } = await sendPush(target, message, { ...options, ...attempt })
  if (!isUnknownDevice) return outcome
  await forgetDevice(ctx, { id: due.recipient })
  return { ...outcome, isFinal: true }
}

/** Whether a hand-over to the person of a device still waits for them, after their quiet hours. */
async function isOfColleague(
  { ctx: { db } }: PushChannelOptions,
  { recipient }: DueDelivery,
  requestId: string,
): Promise<boolean> {
  const device = await db
    .selectFrom('push_subscription')
    .select('person_id')
    .where('id', '=', recipient)
    .executeTakeFirst()
  return device !== undefined && (await isHandedTo(db, requestId, device.person_id))
}

interface PushedRequest {
  readonly id: string
  readonly risk: string
  readonly isPending: boolean
  readonly secondsLeft: number
}

async function readRequest(
  { ctx }: PushChannelOptions,
  { requestId }: DueDelivery,
): Promise<PushedRequest | null> {
  const { rows } = await sql<PushedRequest>`
    select id, risk, state = 'pending' as "isPending",
      extract(epoch from expires_at - clock_timestamp())::int as "secondsLeft"
    from request where id = ${requestId}
  `.execute(ctx.db)
  return rows[0] ?? null
}

import { unsetVariable } from '#domain/error-message.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { slackEndpointOf } from '#services/channels/webhooks/configured-endpoints.ts'
import type { SlackSettings } from '#policy/settings.ts'
import type { Tx } from '#store/database.ts'
import type { ChannelEvent } from '../channels/channel-event.ts'
import { isHandedTo, readHandOver } from '../channels/hand-over.ts'
import {
  finalOutcome,
  type DueDelivery,
  type NotificationChannel,
  type SendOutcome,
} from '../channels/channel.ts'
import { changedRows, type Requests } from '../channels/body-matches-request.ts'
import { readSlackRequest, type SlackRequest } from './read-slack-request.ts'
import { SlackFailure, type SlackCall, type SlackClient } from './slack-client.ts'
import {
  slackHandOver,
  slackLimitNote,
  slackMessage,
  slackReminder,
  type SlackHandOver,
} from './slack-message.ts'

export interface SlackChannelOptions extends Requests {
  readonly settings: SlackSettings
  /** `null`: the token is not set */
  readonly client: SlackClient | null
  readonly publicUrl: string
}

/**
 * How often a message is written again when the request changed meanwhile; the next event updates
 * it anyway.
 */
const maxUpdates = 5

/**
 * Keeps one message for each request in the channel of its queue. The text is made from the
 * request's state when it is sent, so that a late message is never out of date.
 */
export function slackChannel(options: SlackChannelOptions): NotificationChannel {
  const { settings, client } = options
  const { name, kind, events, queues } = slackEndpointOf(settings)
  return {
    name,
    kind,
    events,
    queues,
    // Each queue has slots of its own: one whose requests come by the thousand delays no other.
    slots: { atOnce: 4, perRecipient: 2 },
    // Without the message of its opening, nothing else is posted about a request.
    limited: ['request.opened'],
    compose: async (tx, event) => {
      const { type, request } = event
      if (request === null) return []
      // It would take one of the messages of the hour, and nothing would be posted.
      if (type === 'request.opened' && request.state !== 'pending') return []
      const handOver = await handOverOf(options, tx, event)
      if (type === 'request.handed_over' && handOver === null) return []
      const body = { requestId: request.id, ...(handOver === null ? {} : { handOver }) }
      const lastBody = (): string => JSON.stringify({ ...body, isLastOfHour: true })
      return [{ recipient: request.queue, body: JSON.stringify(body), lastBody }]
    },
    send: async (due, stopping, timeoutMs) => {
      if (client === null) {
        return { status: null, error: unsetVariable(settings.tokenFrom) }
      }
      try {
        await sendTo(options, client, due, { stopping, timeoutMs })
        return { status: 200, error: null }
      } catch (error) {
        if (stopping.aborted) return { status: null, error: 'the service stopped' }
        if (error instanceof SlackFailure) return outcomeOf(error)
        if (error instanceof ChangedRows) return finalOutcome(changedRows)
        throw error
      }
    },
  }
}

async function sendTo(
  options: SlackChannelOptions,
  client: SlackClient,
  due: DueDelivery,
  call: SlackCall,
): Promise<void> {
  const request = due.requestId === null ? null : await readSlackRequest(options, due.requestId)
  // The message and its updates share one time: an attempt has to end before its lease does.
  if (request !== null) await tellOf(options, client, request, { due, call: sharedTime(call) })
  const { isLastOfHour } = JSON.parse(due.body) as { readonly isLastOfHour?: true }
  if (isLastOfHour !== true) return
  // Posted even if this request has no message: requests after it may still wait.
  const message = due.requestId === null ? null : await messageOf(options, due.requestId)
  const queue = due.recipient
  const channel = message?.channel ?? options.settings.channels.get(queue)
  if (channel === undefined) return
  const to = message === null ? { channel } : { channel, thread: message.ts }
  await client.post(to, slackLimitNote(queue, options.publicUrl), call)
}

/** A time limit for several calls together. */
function sharedTime({ timeoutMs, stopping }: SlackCall): SlackCall {
  const late = AbortSignal.timeout(timeoutMs)
  return { timeoutMs, stopping: stopping === undefined ? late : AbortSignal.any([stopping, late]) }
}

/** Posts the message of a request, or a reminder below it, and updates the message. */
async function tellOf(
  options: SlackChannelOptions,
  client: SlackClient,
  request: SlackRequest,
  { due, call }: { readonly due: DueDelivery; readonly call: SlackCall },
): Promise<void> {
  const { db, seals, settings, publicUrl } = options
  // Read first: the message is stored before its opening counts as sent.
  const isEarly = due.type === 'request.handed_over' && (await isOpeningDue(options, request.id))
  const message = await messageOf(options, request.id)
  if (message === null) {
    if (isEarly) {
      throw new SlackFailure('The message of the request is not posted yet', {})
    }
    const channel = settings.channels.get(request.queue)
    // Only `request.opened` posts the message. A request that was decided meanwhile gets none.
    if (due.type !== 'request.opened' || request.state !== 'pending' || channel === undefined)
      return
    const post = slackMessage(request, publicUrl)
    const at = await client.post({ channel }, post, call)
    const row = { request_id: request.id, channel: at.channel, ts: at.ts }
    await db
      .insertInto('slack_message')
      .values({ ...row, shown: hashOf(post), seal: seals.of('slack_message', row) })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  } else if (due.type === 'request.handed_over') {
    const { handOver } = JSON.parse(due.body) as { readonly handOver?: SlackHandOver }
    if (request.state !== 'pending' || handOver === undefined) return
    if (!(await isHandedTo(db, request.id, handOver.toId))) return
    const { channel, ts: thread } = message
    await client.post({ channel, thread }, slackHandOver(request, handOver), call)
    return
  } else if (due.type === 'request.reminded' || due.type === 'request.escalated') {
    if (request.state !== 'pending') return
    const { channel, ts: thread } = message
    await client.post({ channel, thread }, slackReminder(request, due.type), call)
    return
  }
  await refresh(options, client, request.id, call)
}

/**
 * What a thread says of a hand-over; `null`: the event is about something else, or the colleague is
 * away or can no longer decide it. Slack notifies a colleague who has linked their Slack user.
 */
async function handOverOf(
  { settings: { team }, seals }: SlackChannelOptions,
  tx: Tx,
  event: ChannelEvent,
): Promise<SlackHandOver | null> {
  const handOver = await readHandOver(tx, event)
  if (handOver === null || event.request === null) return null
  if (!(await isHandedTo(tx, event.request.id, handOver.toId))) return null
  const link = await tx
    .selectFrom('slack_link')
    .selectAll()
    .where('team', '=', team)
    .where('person_id', '=', handOver.toId)
    .executeTakeFirst()
  const isLinked = link !== undefined && seals.holds('slack_link', link)
  return { ...handOver, user: isLinked ? link.user_id : null }
}

/** Whether the message of a request, below which the others are posted, is still to be sent. */
async function isOpeningDue(
  { db, settings }: SlackChannelOptions,
  requestId: string,
): Promise<boolean> {
  const due = await db
    .selectFrom('delivery')
    .select('id')
    .where('endpoint', '=', slackEndpointOf(settings).name)
    .where('request_id', '=', requestId)
    .where('type', '=', 'request.opened')
    .where('state', '=', 'pending')
    .executeTakeFirst()
  return due !== undefined
}

/** Updates the message until it shows the request's state, which may change during the call. */
async function refresh(
  options: SlackChannelOptions,
  client: SlackClient,
  requestId: string,
  call: SlackCall,
): Promise<void> {
  const { db, publicUrl } = options
  for (let attempt = 0; attempt < maxUpdates; attempt += 1) {
    const request = await readSlackRequest(options, requestId)
    const message = await messageOf(options, requestId)
    if (request === null || message === null) return
    const post = slackMessage(request, publicUrl)
    const hash = hashOf(post)
    if (message.shown === hash) return
    await client.update({ channel: message.channel, ts: message.ts }, post, call)
    await db
      .updateTable('slack_message')
      .set({ shown: hash })
      .where('request_id', '=', requestId)
      .execute()
  }
}

/** `null`: there is none. Rejects for a row that somebody wrote: it may lead to another channel. */
async function messageOf({ db, seals }: Requests, requestId: SlackRequest['id']) {
  const row = await db
    .selectFrom('slack_message')
    .selectAll()
    .where('request_id', '=', requestId)
    .executeTakeFirst()
  if (row === undefined) return null
  if (!seals.holds('slack_message', row)) throw new ChangedRows()
  return row
}

class ChangedRows extends Error {}

function hashOf(post: object): string {
  return hashBytes(JSON.stringify(post))
}

function outcomeOf({ message, status, reason, retryAfterMs }: SlackFailure): SendOutcome {
  const isGone = reason === 'message_not_found' || reason === 'cant_update_message'
  return {
    status,
    error: message,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
    ...(isGone ? { isFinal: true } : {}),
  }
}

import { streamEvents, type StreamEventType } from '../../../domain/stream-event.ts'
import { readWebhookUrl } from '../../../domain/text/webhook-url.ts'
import { isIP } from 'node:net'
import type { WebhookEndpoint, WebhookSettings } from '../../settings.ts'
import {
  readEntries,
  readFields,
  shownAt,
  spotSource,
  wrong,
  type Spot,
} from '../../reading/spot.ts'
import {
  checkName,
  readChoice,
  readOneOrMany,
  readReference,
  readText,
} from '../../reading/values.ts'
import { webhookEndpoint, webhooks } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'
import { readVariable } from './read-variable.ts'

/** Nobody is told. */
export const noWebhooks: WebhookSettings = { allow: [], endpoints: new Map() }

/** What an endpoint that names no events is told: what people would want to hear of. */
const usualEvents: readonly StreamEventType[] = [
  'request.opened',
  'request.decided',
  'request.closed',
  'request.reminded',
  'request.escalated',
]

/** Reads `webhooks`: the endpoints, and the private addresses that they may have. */
export function readWebhooks(spot: Spot, queues: ReadonlySet<string>): WebhookSettings {
  const fields = readFields(spot, keysOf(webhooks))
  if (fields === null) return noWebhooks
  const allowed = fields.get('allow')
  const allow = allowed === null ? [] : (readOneOrMany(allowed, readRange) ?? [])
  const listed = fields.get('endpoints')
  const endpoints = new Map<string, WebhookEndpoint>()
  for (const [name, value] of listed === null ? [] : readEntries(listed)) {
    const endpoint = checkName(value, name) ? readEndpoint(value, name, queues) : null
    if (endpoint !== null) endpoints.set(name, endpoint)
  }
  return { allow, endpoints }
}

function readEndpoint(
  spot: Spot,
  name: string,
  queueNames: ReadonlySet<string>,
): WebhookEndpoint | null {
  const fields = readFields(spot, keysOf(webhookEndpoint))
  if (fields === null) return null
  const [urlSpot, secretSpot] = [fields.get('url'), fields.get('secretFrom')]
  const [eventsSpot, queuesSpot] = [fields.get('events'), fields.get('queues')]
  if (urlSpot === null) wrong(spot, 'has no "url"', 'write `url: https://…`')
  if (secretSpot === null) {
    wrong(spot, 'has no "secretFrom"', 'name the environment variable that holds its secret')
  }
  const url = urlSpot === null ? null : readUrl(urlSpot)
  const secretFrom = secretSpot === null ? null : readVariable(secretSpot, 'CHAT_WEBHOOK_SECRET')
  const events =
    eventsSpot === null
      ? usualEvents
      : readOneOrMany(eventsSpot, (item) => readChoice(item, streamEvents))
  const queues =
    queuesSpot === null
      ? null
      : readOneOrMany(queuesSpot, (item) => readReference(item, 'queue', queueNames))
  if (url === null || secretFrom === null || events === null) return null
  return { name, url, events, queues, secretFrom, source: spotSource(spot) }
}

/** `https://…`, or `http://` to this machine, which only the development profile then calls. */
function readUrl(spot: Spot): string | null {
  const value = readText(spot)
  if (value === null) return null
  const read = readWebhookUrl(value)
  if ('url' in read) return read.url
  wrong(spot, read.problem, read.remedy)
  return null
}

function readRange(spot: Spot): string | null {
  const value = readText(spot)
  if (value === null) return null
  const [address = '', bits, more] = value.split('/')
  const most = isIP(address) === 4 ? 32 : 128
  const isWhole = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most)
  if (isIP(address) !== 0 && !address.includes('%') && isWhole && more === undefined) return value
  wrong(
    spot,
    `is ${shownAt(spot)}, not an address or a range`,
    'write 10.1.2.3, 10.0.0.0/8 or fd00::/8; names are not allowed here',
  )
  return null
}

import { streamEvents, usualEvents } from '#domain/channels/stream-event.ts'
import { readWebhookUrl } from '#domain/network/webhook-url.ts'
import { isIP } from 'node:net'
import type { WebhookEndpoint, WebhookSettings } from '../../../settings.ts'
import {
  readFields,
  valueTextAt,
  fieldSource,
  wrong,
  type YamlField,
} from '../../../reading/yaml-field.ts'
import {
  readChoice,
  readNamed,
  readOneOrMany,
  readReference,
  readText,
} from '../../../reading/values.ts'
import { webhookEndpoint, webhooks } from '../../../schema/config-file.ts'
import { keysOf } from '../../../schema/parts.ts'
import { readVariable } from './read-variable.ts'

/** No endpoint is notified. */
export const noWebhooks: WebhookSettings = { allow: [], endpoints: new Map() }

/** Reads `webhooks`: the endpoints, and the private addresses that they may have. */
export function readWebhooks(field: YamlField, queues: ReadonlySet<string>): WebhookSettings {
  const fields = readFields(field, keysOf(webhooks))
  if (fields === null) return noWebhooks
  const allow = fields.read('allow', (at) => readOneOrMany(at, readRange) ?? [], [])
  const list = fields.get('endpoints')
  if (list === null) return { ...noWebhooks, allow }
  const endpoints = readNamed(list, (value, name) => readEndpoint(value, name, queues))
  return { allow, endpoints }
}

function readEndpoint(
  field: YamlField,
  name: string,
  queueNames: ReadonlySet<string>,
): WebhookEndpoint | null {
  const fields = readFields(field, keysOf(webhookEndpoint))
  if (fields === null) return null
  const url = fields.readNeeded('url', 'write `url: https://…`', readUrl)
  const secretFrom = fields.readNeeded(
    'secretFrom',
    'name the environment variable that holds its secret',
    (at) => readVariable(at, 'CHAT_WEBHOOK_SECRET'),
  )
  const events = fields.read<WebhookEndpoint['events'] | null>(
    'events',
    (at) => readOneOrMany(at, (item) => readChoice(item, streamEvents)),
    usualEvents,
  )
  const queues = fields.read(
    'queues',
    (at) => readOneOrMany(at, (item) => readReference(item, 'queue', queueNames)),
    null,
  )
  if (url === null || secretFrom === null || events === null) return null
  return { name, url, events, queues, secretFrom, source: fieldSource(field) }
}

/** `https://…`, or `http://` to this machine, which only the development profile then calls. */
function readUrl(field: YamlField): string | null {
  const value = readText(field)
  if (value === null) return null
  const read = readWebhookUrl(value)
  if ('url' in read) return read.url
  wrong(field, read.problem, read.remedy)
  return null
}

function readRange(field: YamlField): string | null {
  const value = readText(field)
  if (value === null) return null
  const [address = '', bits, more] = value.split('/')
  const maxBits = isIP(address) === 4 ? 32 : 128
  const isWhole = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits)
  if (isIP(address) !== 0 && !address.includes('%') && isWhole && more === undefined) return value
  wrong(
    field,
    `is ${valueTextAt(field)}, not an address or a range`,
    'write 10.1.2.3, 10.0.0.0/8 or fd00::/8; names are not allowed here',
  )
  return null
}

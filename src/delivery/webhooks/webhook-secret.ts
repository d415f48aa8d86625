import { createHmac } from 'node:crypto'
import { sameSecret } from '#services/access/token.ts'

const secretForm = /^whsec_([A-Za-z0-9+/]+={0,2})$/

/**
 * The keys in a variable's text: one `whsec_` and base64 of 24 to 64 bytes, or, while one replaces
 * another, several with blanks between. `null` for anything else.
 */
export function readSecrets(text: string | undefined): readonly Buffer[] | null {
  const words = (text ?? '').trim().split(/\s+/)
  const keys = words.map((word) => Buffer.from(secretForm.exec(word)?.[1] ?? '', 'base64'))
  return keys.every((key) => key.length >= 24 && key.length <= 64) ? keys : null
}

/**
 * The headers of Standard Webhooks; every key signs. `id` stays the same at every attempt, `at` is
 * this attempt's.
 */
export function webhookHeaders(
  keys: readonly Buffer[],
  message: { readonly id: string; readonly at: Date; readonly body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(message.at.getTime() / 1000))
  const signatures = keys.map((key) => signatureOf(key, message.id, timestamp, message.body))
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

function signatureOf(
  key: Buffer,
  id: string,
  timestamp: string,
  body: string | Uint8Array,
): string {
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body)
  return `v1,${mac.digest('base64')}`
}

/** A message as it came, with what its headers say of it; `undefined`: it has no such header. */
export interface ReceivedWebhook {
  readonly id: string | undefined
  readonly timestamp: string | undefined
  readonly signature: string | undefined
  readonly body: Uint8Array
}

const maxAgeSeconds = 300
/** The characters of an id that a sender chooses. */
const idForm = /^[\x21-\x7e]{1,200}$/
const maxSignatures = 10

/**
 * Whether one of these keys signed a message within the last five minutes, as Standard Webhooks
 * says. Compared in constant time; without a key as much is computed as with one. The time is read
 * only for a message that a key signed.
 */
export async function isSignedWebhook(
  keys: readonly Buffer[] | null,
  { id = '', timestamp = '', signature = '', body }: ReceivedWebhook,
  readTime: () => Promise<Date>,
): Promise<boolean> {
  const isWellFormed =
    idForm.test(id) && /^\d{1,12}$/.test(timestamp) && signature.length <= maxSignatures * 60
  const candidates = isWellFormed ? signature.split(' ').slice(0, maxSignatures) : []
  const expected = (keys ?? [Buffer.alloc(32)]).map((key) => signatureOf(key, id, timestamp, body))
  const matches = candidates.flatMap((one) => expected.map((own) => sameSecret(one, own)))
  if (keys === null || !matches.includes(true)) return false
  const now = await readTime()
  return Math.abs(now.getTime() / 1000 - Number(timestamp)) <= maxAgeSeconds
}

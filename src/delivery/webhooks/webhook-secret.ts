import { createHmac } from 'node:crypto'

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
  const signed = `${message.id}.${timestamp}.${message.body}`
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  )
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

import { createHmac } from 'node:crypto'
import { sameSecret } from '#services/access/token.ts'

const maxAgeSeconds = 300

/**
 * Whether Slack signed these bytes within the last five minutes (its "v0" signature over
 * `v0:timestamp:body`), compared in constant time. The time is read only for bytes that it signed.
 */
export async function isSignedBySlack(
  secret: string,
  message: {
    readonly timestamp: string | undefined
    readonly signature: string | undefined
    readonly body: Buffer
  },
  readTime: () => Promise<Date>,
): Promise<boolean> {
  const { timestamp = '', signature = '', body } = message
  if (secret === '' || !/^\d{1,12}$/.test(timestamp)) return false
  const expected = `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`
  if (!sameSecret(signature, expected)) return false
  const now = await readTime()
  return Math.abs(now.getTime() / 1000 - Number(timestamp)) <= maxAgeSeconds
}

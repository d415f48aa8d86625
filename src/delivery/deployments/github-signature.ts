import { createHmac } from 'node:crypto'
import { sameSecret } from '#services/access/token.ts'

/** Shorter secrets are not believed: nobody made them with a generator. */
export const leastSecretLength = 16

/**
 * Whether GitHub signed these bytes: `X-Hub-Signature-256`, the HMAC-SHA-256 of the raw body,
 * compared in constant time. It holds no time: a repeated message must do no harm.
 */
export function isSignedByGitHub(
  secret: string | undefined,
  message: { readonly signature: string | undefined; readonly body: Buffer },
): boolean {
  if (secret === undefined || secret.length < leastSecretLength) return false
  const expected = `sha256=${createHmac('sha256', secret).update(message.body).digest('hex')}`
  return sameSecret(message.signature ?? '', expected)
}

import { createHmac } from 'node:crypto'
import { sameSecret } from '#services/access/token.ts'

/** Shorter secrets are refused: no generator made them. */
export const leastSecretLength = 16

/**
 * Whether GitHub signed these bytes: `X-Hub-Signature-256`, the HMAC-SHA-256 of the raw body,
 * compared in constant time. It has no time, so a repeated message must be harmless.
 */
export function isSignedByGitHub(
  secret: string | undefined,
  message: { readonly signature: string | undefined; readonly body: Buffer },
): boolean {
  if (secret === undefined || secret.length < leastSecretLength) return false
  const expected = `sha256=${createHmac('sha256', secret).update(message.body).digest('hex')}`
  return sameSecret(message.signature ?? '', expected)
}

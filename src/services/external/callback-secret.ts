import { createHmac } from 'node:crypto'

/**
 * The secret that signs callbacks to a program, derived from its API key: the program can compute
 * the secret, and the secret does not reveal the key. HMAC-SHA-256 under the key of
 * `countersign/callback/v1`.
 */
export function callbackSecret(apiKey: string): string {
  const mac = createHmac('sha256', apiKey).update('countersign/callback/v1').digest('base64')
  return `whsec_${mac}`
}

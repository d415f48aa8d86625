import { createHmac } from 'node:crypto'

/**
 * The secret that callbacks to a program are signed with: made of the API key it asked with, so
 * that the program knows it without being told, and nobody can make the key of it. HMAC-SHA-256
 * under the key of `countersign/callback/v1`.
 */
export function callbackSecret(apiKey: string): string {
  const mac = createHmac('sha256', apiKey).update('countersign/callback/v1').digest('base64')
  return `whsec_${mac}`
}

import { createHmac } from 'node:crypto'

/**
 * The secret of Standard Webhooks with which callbacks (`callbackUrl`) are signed, of the API key
 * that asked.
 *
 * @example new Webhook(callbackSecret(apiKey)).verify(body, headers)
 */
export function callbackSecret(apiKey: string): string {
  const mac = createHmac('sha256', apiKey).update('countersign/callback/v1').digest('base64')
  return `whsec_${mac}`
}

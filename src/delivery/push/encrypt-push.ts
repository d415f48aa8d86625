import type { PushTarget } from '#services/channels/push/push-subscription.ts'

/** The key by which push services know the installation (RFC 8292): a P-256 pair, base64url. */
export interface VapidKey {
  readonly publicKey: string
  readonly privateKey: string
}

export interface PushMessage {
  /** JSON, or empty for a message without content */
  readonly text: string
  /** how long the push service stores it for an offline device */
  readonly ttlSeconds: number
  /** replaces an undelivered message of the same topic */
  readonly topic: string
  readonly urgency: 'normal' | 'high'
}

/**
 * The body and headers of a push message: encrypted for the browser as RFC 8291 says, which the
 * push service cannot read, and signed with the installation's key. `subject` is the address under
 * which a push service may reach who runs the installation.
 */
export async function encryptPush(
  target: PushTarget,
  message: PushMessage,
  sender: { readonly key: VapidKey; readonly subject: string },
): Promise<{ readonly body: Uint8Array; readonly headers: Readonly<Record<string, string>> }> {
  const { default: webPush } = await import('web-push')
  const { publicKey, privateKey } = sender.key
  const request = webPush.generateRequestDetails(target, message.text, {
    vapidDetails: { subject: sender.subject, publicKey, privateKey },
    contentEncoding: 'aes128gcm',
    TTL: message.ttlSeconds,
    topic: message.topic,
    urgency: message.urgency,
  })
  return { body: request.body ?? new Uint8Array(), headers: request.headers }
}

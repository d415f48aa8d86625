import type { PushTarget } from '#services/channels/push/push-subscription.ts'
import type { SendOutcome } from '../channels/channel.ts'
import { resolveForeignHost, type Resolve, type TargetRules } from '../webhooks/find-target.ts'
import { sendWebhook } from '../webhooks/send-webhook.ts'
import { encryptPush, type PushMessage, type VapidKey } from './encrypt-push.ts'

/** Who sends push messages, and where they may go. */
export interface PushSender extends TargetRules {
  readonly key: VapidKey
  readonly publicUrl: string
  readonly resolve?: Resolve
}

/**
 * Sends a message to a device, in one attempt of `timeoutMs` at most. `isUnknownDevice`: its push
 * service no longer knows the device (RFC 8030, 7.3).
 */
export async function sendPush(
  target: PushTarget,
  message: PushMessage,
  sending: PushSender & { readonly stopping: AbortSignal; readonly timeoutMs: number },
): Promise<{ readonly outcome: SendOutcome; readonly isUnknownDevice: boolean }> {
  const { key, publicUrl, allow, isDevelopment, stopping, timeoutMs } = sending
  const encrypted = await encryptPush(target, message, { key, subject: subjectOf(publicUrl) })
  const outcome = await sendWebhook({
    ...encrypted,
    url: target.endpoint,
    allow,
    isDevelopment,
    stopping,
    timeoutMs,
    resolve: sending.resolve ?? resolveForeignHost,
  })
  return { outcome, isUnknownDevice: outcome.status === 404 || outcome.status === 410 }
}

/** A push service accepts `https:` and `mailto:` only; a page on this machine has neither. */
function subjectOf(publicUrl: string): string {
  return publicUrl.startsWith('https://') ? publicUrl : 'mailto:countersign@localhost.localdomain'
}

import { Problem } from '#domain/problem.ts'
import type { SessionTimes } from '#services/access/sessions/session-times.ts'
import { listDevices } from '#services/channels/push/list-devices.ts'
import { findPushTarget } from '#services/channels/push/push-subscription.ts'
import { removeDevices } from '#services/channels/push/remove-device.ts'
import type { Caller, ServiceContext } from '#services/core/context.ts'
import { sendPush, type PushSender } from './send-push.ts'

const ttlSeconds = 60
const timeoutMs = 10_000

/**
 * Sends a message without content to the device of a session, so that its person sees whether
 * notifications arrive there. Returns null once the push service has accepted it, or else a
 * sentence that says why not. Rejects with `not_found` if the session has no device.
 */
export async function sendTestPush(
  ctx: ServiceContext,
  caller: Caller,
  options: {
    readonly sessionId: string
    readonly times: SessionTimes
    readonly sender: PushSender
  },
): Promise<string | null> {
  const { sessionId, times, sender } = options
  const devices = await listDevices(ctx, caller, times)
  const device = devices.find((one) => one.sessionId === sessionId)
  if (device === undefined) throw new Problem('not_found', 'This session has no device for push')
  const target = await findPushTarget(ctx, times, device.id)
  if (typeof target === 'string') return target
  const message = { text: '', ttlSeconds, topic: 'test', urgency: 'high' as const }
  const stopping = new AbortController().signal
  const sending = { ...sender, stopping, timeoutMs }
  const { outcome, isUnknownDevice } = await sendPush(target, message, sending)
  if (!isUnknownDevice) return outcome.error
  await removeDevices(ctx, caller, { id: device.id }, 'gone')
  return 'the push service no longer knows this device, so it was removed'
}

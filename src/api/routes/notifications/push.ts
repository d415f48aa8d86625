import { Problem } from '#domain/problem.ts'
import { sendTestPush } from '#delivery/push/send-test-push.ts'
import { WindowCounts } from '../../middleware/window-counts.ts'
import { judgePushEndpoint } from '#delivery/push/judge-endpoint.ts'
import { listDevices } from '#services/channels/push/list-devices.ts'
import type { PushDevice } from '#services/channels/push/push-subscription.ts'
import { removeDevices, type WhichDevices } from '#services/channels/push/remove-device.ts'
import { subscribeDevice } from '#services/channels/push/subscribe-device.ts'
import { targetRules } from '../../context/target-rules.ts'
import { sessionIdOf, type Identity } from '../../identity/identity.ts'
import { route } from '../../route/route.ts'
import * as schemas from '../../schemas/notifications/push.ts'

const path = '/v1/me/push-subscriptions'

const testsPerMinute = 5
const minuteMs = 60_000
/** The test messages of each session. */
const testCounts = new WindowCounts(minuteMs)

/** The devices that the caller's notifications are pushed to. */
export const pushRoutes = [
  route({
    method: 'get',
    path,
    name: 'listPushSubscriptions',
    summary: 'List push subscriptions',
    description: "The caller's devices, and the public key with which a browser subscribes",
    access: { by: 'person' },
    answers: {
      200: { description: 'Devices, newest first', schema: schemas.pushSubscriptionList },
    },
    answer: async (api, { caller, identity }) => {
      const { publicKey } = api.settings.pushKey
      const devices = await listDevices(api.ctx, caller, api.settings.sessionTimes)
      const items = devices.map((device) => deviceView(device, identity))
      return { status: 200, body: { publicKey, items } }
    },
  }),
  route({
    method: 'post',
    path,
    name: 'createPushSubscription',
    summary: 'Create a push subscription',
    description:
      'Push notifications to this browser until its session ends. The body is the result of PushSubscription.toJSON()',
    access: { by: 'person' },
    body: schemas.pushSubscriptionBody,
    answers: { 201: { description: 'The device', schema: schemas.pushSubscription } },
    problems: ['conflict'],
    answer: async (api, { body, caller, identity }) => {
      await judgePushEndpoint(body.endpoint, await targetRules(api))
      const device = await subscribeDevice(api.ctx, caller, {
        sessionId: sessionIdOf(identity),
        target: body,
      })
      return { status: 201, body: deviceView(device, identity) }
    },
  }),
  route({
    method: 'delete',
    path,
    name: 'deletePushSubscription',
    summary: 'Delete a push subscription',
    description:
      "Remove one of the caller's devices by its endpoint or id; without either, the devices of the current session",
    access: { by: 'person' },
    body: schemas.pushRemovalBody,
    answers: {
      200: { description: 'The number of devices that were removed', schema: schemas.pushRemoved },
    },
    answer: async (api, { body, caller, identity }) => {
      const which = whichOf(body, identity)
      const removed = await removeDevices(api.ctx, caller, which, 'removed_by_person')
      return { status: 200, body: { removed } }
    },
  }),
  route({
    method: 'post',
    path: `${path}/test`,
    name: 'testPushSubscription',
    summary: 'Test a push subscription',
    description:
      "Send a message without content to the device of the caller's session, 5 times a minute at most",
    access: { by: 'person' },
    answers: {
      200: { description: 'Whether the push service accepted it', schema: schemas.pushTest },
    },
    problems: ['not_found', 'rate_limited'],
    answer: async (api, { caller, identity }) => {
      const sessionId = sessionIdOf(identity)
      const { totalHits, resetTime } = testCounts.increment(sessionId)
      if (totalHits > testsPerMinute) {
        const leftMs = (resetTime?.getTime() ?? 0) - Date.now()
        throw new Problem('rate_limited', 'That was tested often: try again in a minute', {
          retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
        })
      }
      const { sessionTimes: times, pushKey: key, publicUrl } = api.settings
      const sender = { ...(await targetRules(api)), key, publicUrl }
      const problem = await sendTestPush(api.ctx, caller, { sessionId, times, sender })
      return { status: 200, body: { accepted: problem === null, problem } }
    },
  }),
]

function whichOf(
  { id, endpoint }: { readonly id?: string; readonly endpoint?: string },
  identity: Identity,
): WhichDevices {
  if (id !== undefined) return { id }
  return endpoint === undefined ? { sessionId: sessionIdOf(identity) } : { endpoint }
}

function deviceView(device: PushDevice, identity: Identity): schemas.PushSubscriptionView {
  return {
    id: device.id,
    endpoint: device.endpoint,
    device: device.device,
    current: device.sessionId === sessionIdOf(identity),
    createdAt: device.createdAt.toISOString(),
  }
}

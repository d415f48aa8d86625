import type { Caller } from '#services/core/context.ts'
import { chooseMail, readMailChoice } from '#services/channels/mail/mail-choice.ts'
import { choosePush, readPushChoice } from '#services/channels/push/choose-push.ts'
import { route } from '../../route/route.ts'
import * as schemas from '../../schemas/notifications/notifications.ts'
import type { Api } from '../../context/api.ts'

/** How the caller is notified outside of the dashboard. */
export const notificationRoutes = [
  route({
    method: 'get',
    path: '/v1/me/notifications',
    name: 'getNotifications',
    summary: "Get the caller's notification settings",
    description: 'Which notifications the caller gets by mail and push',
    access: { by: 'person' },
    answers: { 200: { description: 'The choice', schema: schemas.notificationChoice } },
    answer: async (api, { caller }) => ({ status: 200, body: await choiceView(api, caller) }),
  }),
  route({
    method: 'put',
    path: '/v1/me/notifications',
    name: 'setNotifications',
    summary: "Set the caller's notification settings",
    description:
      'Choose which notifications the caller gets by mail (each at once, a digest, or none) and by push',
    access: { by: 'person' },
    body: schemas.mailChoiceBody,
    answers: {
      200: { description: 'The settings that now apply', schema: schemas.notificationChoice },
    },
    answer: async (api, { body, caller }) => {
      await chooseMail(api.ctx, caller, body)
      if (body.push !== undefined) await choosePush(api.ctx, caller, body.push)
      return { status: 200, body: await choiceView(api, caller) }
    },
  }),
]

async function choiceView(api: Api, caller: Caller): Promise<schemas.NotificationChoice> {
  const { digest, ...choice } = await readMailChoice(api.ctx, caller)
  const slots =
    digest !== null && 'everyMs' in digest ? { everySeconds: digest.everyMs / 1000 } : digest
  const push = await readPushChoice(api.ctx, caller)
  return { email: { ...choice, digest: slots }, push }
}

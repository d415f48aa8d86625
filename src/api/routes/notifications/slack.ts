import { readJson } from '#domain/json/ambiguous-json.ts'
import { z } from 'zod'
import { answerInteraction } from '#delivery/slack/answer-interaction.ts'
import { isSignedBySlack } from '#delivery/slack/slack-signature.ts'
import { Problem } from '#domain/problem.ts'
import { confirmSlackLink } from '#services/channels/slack/confirm-slack-link.ts'
import { rememberSignature } from '#services/channels/slack/remember-signature.ts'
import { listSlackLinks } from '#services/channels/slack/list-slack-links.ts'
import { removeSlackLink } from '#services/channels/slack/remove-slack-link.ts'
import { databaseTime } from '#store/database-time.ts'
import { bodyBytes } from '../../body/body-bytes.ts'
import { failureLimit } from '../../middleware/failure-limit.ts'
import { refuseSignature } from '../../middleware/refuse-signature.ts'
import { route, type Route } from '../../route/route.ts'
import { id, removed } from '../../schemas/common.ts'
import { answerOf } from '../../views/answer-of.ts'
import * as schemas from '../../schemas/notifications/notifications.ts'

/** Where Slack posts what people do; its body is a form, judged by its bytes. */
export const interactionsPath = '/v1/slack/interactions'

/** Slack: what people do there, and who they are here. */
export function slackRoutes() {
  return [interactions(), links, confirm, unlink]
}

function interactions(): Route<'postSlackInteraction', 'post', typeof interactionsPath> {
  const failures = failureLimit(60, 'signatures')
  return {
    method: 'post',
    path: interactionsPath,
    name: 'postSlackInteraction',
    summary: 'Post a Slack interaction',
    description:
      'For Slack only: a form with one interaction, signed by Slack within the last five minutes. Each signature is accepted once',
    access: { by: 'everybody' },
    answers: {
      200: {
        description: 'What Slack shows next; an empty answer only confirms receipt',
        contentTypes: ['application/json'],
      },
    },
    problems: ['unauthenticated', 'not_found'],
    answer: async (api, request) => {
      await failures.check(request)
      const workspace = (await api.slack?.()) ?? null
      if (workspace === null) {
        throw new Problem('not_found', 'No Slack workspace is configured, or its secret is not set')
      }
      const bytes = bodyBytes(request)
      const signature = request.get('x-slack-signature')
      const timestamp = request.get('x-slack-request-timestamp')
      const readTime = () => databaseTime(api.ctx.db)
      const message = { timestamp, signature, body: bytes }
      const isGenuine =
        (await isSignedBySlack(workspace.signingSecret, message, readTime)) &&
        (await rememberSignature(api.ctx, signature ?? ''))
      if (!isGenuine) {
        return refuseSignature(api, failures, request, {
          system: 'slack',
          attempt: 'postSlackInteraction',
          sentence: 'Slack did not sign this interaction, or it was received before',
        })
      }
      const answer = await answerInteraction(api.ctx, workspace, payloadOf(bytes))
      if (answer !== null) return { status: 200, body: answer }
      return (response) => void response.status(200).end()
    },
  }
}

function payloadOf(bytes: Buffer): unknown {
  const text = new URLSearchParams(bytes.toString()).get('payload') ?? ''
  const payload = readJson('payload', text)
  if ('value' in payload) return payload.value
  const { problem: message } = payload
  throw new Problem('invalid_request', message, { field: 'payload', message })
}

const links = route({
  method: 'get',
  path: '/v1/slack/links',
  name: 'listSlackLinks',
  summary: 'List Slack links',
  description: "The caller's users in Slack",
  access: { by: 'person' },
  answers: { 200: { description: 'Each link', schema: schemas.slackLinkList } },
  answer: async (api, { caller }) => {
    const items = (await listSlackLinks(api.ctx, caller)).map(answerOf)
    const { config } = await api.ctx.policies.inForce()
    return { status: 200, body: { configured: config.slack !== null, items } }
  },
})

const confirm = route({
  method: 'post',
  path: '/v1/slack/links',
  name: 'confirmSlackLink',
  summary: 'Confirm a Slack link',
  description: 'Confirm with the code that Slack showed that the caller is that user',
  access: { by: 'person' },
  body: schemas.slackCodeBody,
  answers: { 201: { description: 'Linked', schema: schemas.slackLink } },
  problems: ['not_found', 'not_eligible'],
  answer: async (api, { body, caller }) => {
    const link = await confirmSlackLink(api.ctx, caller, { code: body.code })
    return { status: 201, body: answerOf(link) }
  },
})

const unlink = route({
  method: 'delete',
  path: '/v1/slack/links/:id',
  name: 'removeSlackLink',
  summary: 'Remove a Slack link',
  description: 'End a link, at once',
  access: { by: 'person' },
  params: z.object({ id: id.describe('Id of a link') }),
  answers: { 200: { description: 'Ended', schema: removed } },
  problems: ['not_found'],
  answer: async (api, { params, caller }) => {
    await removeSlackLink(api.ctx, caller, params)
    return { status: 200, body: { removed: true } }
  },
})

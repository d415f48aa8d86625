import type { ModalView } from '@slack/web-api'
import { z } from 'zod'
import { Problem } from '#domain/problem.ts'
import { requestUrl } from '#domain/requests/request-url.ts'
import type { Caller, SigningContext } from '#services/core/context.ts'
import { decideRequest } from '#services/decisions/decide-request.ts'
import { getRequest } from '#services/requests/detail/get-request.ts'
import { SlackFailure } from './slack-client.ts'
import { identifySlackUser, slackTimeoutMs, type SlackWorkspace } from './slack-identity.ts'
import { refuseSlackUser, type SlackPerson } from '#services/channels/slack/slack-person.ts'
import { openAction } from './slack-message.ts'
import {
  decisionField,
  decisionForm,
  decisionModal,
  noticeModal,
  reasonField,
  whyOnPage,
} from './slack-modal.ts'

/** The body of our answer to Slack; `null`: an empty one. */
export type InteractionAnswer =
  | { readonly response_action: 'errors'; readonly errors: Readonly<Record<string, string>> }
  | { readonly response_action: 'update'; readonly view: ModalView }
  | null

const slackUser = z.object({ id: z.string(), team_id: z.string().optional() })
const team = z.object({ id: z.string() }).nullish()
const buttonPress = z.object({
  type: z.literal('block_actions'),
  user: slackUser,
  team,
  trigger_id: z.string(),
  actions: z.array(z.object({ action_id: z.string(), value: z.string().optional() })),
})
const formSubmission = z.object({
  type: z.literal('view_submission'),
  user: slackUser,
  team,
  view: z.object({
    callback_id: z.string(),
    private_metadata: z.string(),
    state: z.object({
      values: z.record(
        z.string(),
        z.record(
          z.string(),
          z.object({
            value: z.string().nullish(),
            selected_option: z.object({ value: z.string() }).nullish(),
          }),
        ),
      ),
    }),
  }),
})
const modalSubject = z.object({
  requestId: z.string(),
  revision: z.number(),
  digest: z.string(),
})

/**
 * Answers an interaction in Slack whose signature was verified. A button opens the modal; a
 * submitted modal decides, by the same function as every channel. Other interactions are ignored.
 * Does not reject for a mistake of Slack or of the person.
 */
export async function answerInteraction(
  ctx: SigningContext,
  workspace: SlackWorkspace,
  payload: unknown,
): Promise<InteractionAnswer> {
  const press = buttonPress.safeParse(payload)
  if (press.success) return open(ctx, workspace, press.data)
  const submission = formSubmission.safeParse(payload)
  if (submission.success && submission.data.view.callback_id === decisionForm) {
    return decide(ctx, workspace, submission.data)
  }
  return null
}

async function open(
  ctx: SigningContext,
  workspace: SlackWorkspace,
  { user, team: from, trigger_id: triggerId, actions }: z.infer<typeof buttonPress>,
): Promise<null> {
  const requestId = actions.find(({ action_id: id }) => id === openAction)?.value
  if (requestId === undefined) return null
  const { client } = workspace
  try {
    const who = await identifySlackUser(ctx, workspace, { id: user.id, team: teamOf(user, from) })
    const view =
      who.person === null
        ? noticeModal(
            'Link your account',
            who.sentence,
            who.link === null ? null : { words: 'Open your account page', url: who.link },
          )
        : await viewFor(ctx, workspace, who.person, requestId)
    await client.openView(triggerId, view, { timeoutMs: slackTimeoutMs })
  } catch (error) {
    if (!(error instanceof SlackFailure)) throw error
    ctx.log.warn({ requestId, error: error.message }, 'a Slack modal could not be opened')
  }
  return null
}

async function viewFor(
  ctx: SigningContext,
  { publicUrl }: SlackWorkspace,
  person: SlackPerson,
  requestId: string,
): Promise<ModalView> {
  try {
    const record = await getRequest(ctx, callerOf(person), { request: requestId })
    const why = whyOnPage(record)
    if (why === null) return decisionModal(record, publicUrl)
    const page = { words: 'Open the page', url: requestUrl(publicUrl, record.id) }
    return noticeModal(`Request #${record.number}`, why, page)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return noticeModal('Request', error.message, null)
  }
}

async function decide(
  ctx: SigningContext,
  workspace: SlackWorkspace,
  { user, team: from, view }: z.infer<typeof formSubmission>,
): Promise<InteractionAnswer> {
  const subject = modalSubject.parse(JSON.parse(view.private_metadata))
  const decision = view.state.values[decisionField]?.[decisionField]?.selected_option?.value ?? ''
  const reason = view.state.values[reasonField]?.[reasonField]?.value?.trim() ?? ''
  try {
    const who = await identifySlackUser(ctx, workspace, { id: user.id, team: teamOf(user, from) })
    if (who.person === null) {
      const stranger = { team: workspace.team, userId: user.id, why: 'not_linked' } as const
      if (who.link !== null) await refuseSlackUser(ctx, stranger)
      return refusal(who.sentence)
    }
    const { requestId, digest, revision } = subject
    const optionalReason = reason === '' ? {} : { reason }
    const body = { decision, digest, revision, ...optionalReason }
    const { state } = await decideRequest(ctx, callerOf(who.person), { request: requestId, body })
    const sentence =
      state === 'pending'
        ? 'Your approval is recorded. The request waits for others.'
        : `Your decision is recorded: the request is ${state}.`
    const page = { words: 'Open the page', url: requestUrl(workspace.publicUrl, requestId) }
    return { response_action: 'update', view: noticeModal('Recorded', sentence, page) }
  } catch (error) {
    if (error instanceof Problem) return refusal(error.message)
    if (!(error instanceof SlackFailure)) throw error
    ctx.log.warn(
      { requestId: subject.requestId, error: error.message },
      'Slack did not identify the user',
    )
    return refusal(
      'Slack did not identify you, so nothing was decided. Try again, or decide on the page.',
    )
  }
}

function refusal(sentence: string): InteractionAnswer {
  return { response_action: 'errors', errors: { [decisionField]: sentence } }
}

/** The user's own workspace, which in a shared channel may be another than the channel's. */
function teamOf(user: z.infer<typeof slackUser>, from: z.infer<typeof team>): string | null {
  return user.team_id ?? from?.id ?? null
}

function callerOf({ id, name }: SlackPerson): Caller {
  return { actor: { type: 'person', id, name }, channel: 'slack' }
}

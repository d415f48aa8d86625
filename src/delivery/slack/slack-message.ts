import type { KnownBlock } from '@slack/web-api'
import { requestUrl } from '#domain/requests/request-url.ts'
import { cancelledWords } from '#domain/text/cancel-reason-words.ts'
import { countsInWords } from '#domain/text/effect-sentence.ts'
import { withCapital } from '#domain/text/readable-name.ts'
import { effectOf } from '../channels/channel-event.ts'
import type { HandOver } from '../channels/hand-over.ts'
import { instantText } from '../channels/instant-text.ts'
import { limitSentence } from '../channels/hourly-limit.ts'
import { cuesLine } from '../channels/request-notice.ts'
import { taskLine, type TaskNotice } from '../channels/task-notice.ts'
import type { SlackRequest } from './read-slack-request.ts'
import type { SlackPost } from './slack-client.ts'
import { escapeText, plainText } from './slack-text.ts'

/** The button that opens the modal; its value is the request's id. */
export const openAction = 'countersign_open'
/** A link that only opens the page. Slack reports a click on it, which is ignored. */
export const pageAction = 'countersign_page'

const endWords: Readonly<Record<string, string>> = {
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired: nobody decided in time',
}

/**
 * The message of a request: its task, and its effect in one line, never its arguments; for high
 * risk only the tool. It always links to the page, and has a button for the modal while the
 * request is pending. Pure.
 */
export function slackMessage(request: SlackRequest, publicUrl: string): SlackPost {
  const isWaiting = request.state === 'pending'
  const where = `#${request.number} in ${request.queue}`
  const text = `Request ${where} ${isWaiting ? 'waits' : request.state}: ${effectInSlack(request)}`
  const link = requestUrl(publicUrl, request.id)
  return {
    text: escapeText(plainText(text).text),
    blocks: [
      ...taskBlocks(request.task),
      { type: 'section', text: plainText(headline(request)) },
      { type: 'context', elements: [plainText(factsLine(request))] },
      ...attentionOf(request, isWaiting),
      ...(isWaiting ? [] : [outcome(request)]),
      {
        type: 'actions',
        elements: [
          ...(isWaiting && isDecidedInModal(request)
            ? [
                {
                  type: 'button' as const,
                  action_id: openAction,
                  text: plainText('Look and decide'),
                  value: request.id,
                },
              ]
            : []),
          {
            type: 'button',
            action_id: pageAction,
            text: plainText('Open the page'),
            url: link,
          },
        ],
      },
    ],
  }
}

/** The reminder in the thread of a request that is still pending. */
export function slackReminder(request: SlackRequest, type: string): SlackPost {
  const text =
    type === 'request.escalated'
      ? `Request #${request.number} still waits: more people may decide it now`
      : `Request #${request.number} still waits`
  return {
    text: escapeText(plainText(`${text}. ${effectInSlack(request)}`).text),
    blocks: [{ type: 'section', text: plainText(text) }],
  }
}

/** A hand-over as the thread of its request says it. */
export interface SlackHandOver extends HandOver {
  /** the colleague in Slack; `null`: they have linked no user */
  readonly user: string | null
}

/** The message in the thread of a request that a colleague is asked to look at. */
export function slackHandOver(request: SlackRequest, { to, by, user }: SlackHandOver): SlackPost {
  const what = plainText(`${by} hands #${request.number} over to ${user === null ? to : 'you'}`)
  const text = `${by} hands #${request.number} over to ${to}. ${effectInSlack(request)}`
  return {
    text: escapeText(plainText(text).text),
    blocks:
      user === null
        ? [{ type: 'section', text: what }]
        : [
            {
              type: 'rich_text',
              elements: [
                {
                  type: 'rich_text_section',
                  elements: [
                    { type: 'user', user_id: user },
                    { type: 'text', text: ` ${what.text}` },
                  ],
                },
              ],
            },
          ],
  }
}

/** What follows the last request of an hour that a channel gets. */
export function slackLimitNote(queue: string, publicUrl: string): SlackPost {
  const text = plainText(`${limitSentence('request', queue)}: ${publicUrl}/`)
  return { text: escapeText(text.text), blocks: [{ type: 'section', text }] }
}

/**
 * Whether a request may be decided in the modal. High risk must be seen in full, and questions and
 * outcome checks need other answers: those are decided on the page.
 */
export function isDecidedInModal({ risk, kind }: Pick<SlackRequest, 'risk' | 'kind'>): boolean {
  return risk !== 'high' && (kind === 'tool_call' || kind === 'external' || kind === 'attachment')
}

/** The task as the first line of a message or a window; none without a task. */
export function taskBlocks(task: TaskNotice | null): KnownBlock[] {
  if (task === null) return []
  const line = taskLine(task, (text, maxCharacters) => plainText(text, maxCharacters).text)
  return [{ type: 'context', elements: [plainText(line)] }]
}

function headline(request: SlackRequest): string {
  const effect = effectInSlack(request)
  if (!isToolOnly(request)) return effect
  return `A${effect.slice(1)}${request.state === 'pending' ? ' waits' : ''}`
}

/** The effect of a request in one line, with secrets masked; at high risk only its tool. */
function effectInSlack(request: SlackRequest): string {
  const { kind, tool } = request
  if (kind === 'outcome_check') return `Did a call of ${tool} take effect? Somebody must check`
  return isToolOnly(request) ? `a high-risk call of ${tool}` : countsInWords(effectOf(request))
}

function isToolOnly({ kind, risk }: Pick<SlackRequest, 'kind' | 'risk'>): boolean {
  return kind !== 'outcome_check' && risk === 'high'
}

function factsLine({ number, queue, risk, worker, expires_at: expiresAt }: SlackRequest): string {
  const until = `until ${instantText(expiresAt)}`
  const facts = [`#${number}`, `queue ${queue}`, `${risk} risk`, worker ?? 'a program', until]
  return facts.join(' · ')
}

/** While it waits: what deserves attention, and who started the run, unless the task says it. */
function attentionOf(request: SlackRequest, isWaiting: boolean): KnownBlock[] {
  if (!isWaiting) return []
  const { starter, task } = request
  const by = starter === null || task !== null ? null : `Run started by ${starter}`
  return [cuesLine(request), by]
    .filter((line) => line !== null)
    .map((line) => ({ type: 'context', elements: [plainText(line)] }))
}

function outcome(request: SlackRequest): KnownBlock {
  const words =
    request.state === 'cancelled'
      ? withCapital(cancelledWords(request.cancel_reason))
      : (endWords[request.state] ?? request.state)
  const by = request.decided_by === null ? '' : ` by ${request.decided_by}`
  return { type: 'section', text: plainText(words + by) }
}

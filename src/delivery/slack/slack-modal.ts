import type { KnownBlock, ModalView } from '@slack/web-api'
import { againSentence, alikeWords } from '#domain/deciding/alike-words.ts'
import { cueIds, displayedCues } from '#domain/policy/cues.ts'
import { fieldsAsText } from '#domain/fields/fields-as-text.ts'
import { structuredFields } from '#domain/fields/structured-fields.ts'
import { requestedByProgram } from '#domain/requests/program-words.ts'
import { requestUrl } from '#domain/requests/request-url.ts'
import { countsInWords } from '#domain/text/effect-sentence.ts'
import { maskSecrets } from '#domain/text/mask-secrets.ts'
import { findSecrets, findSecretsOfExcerpt } from '#domain/text/secrets.ts'
import type { RequestDetailRecord } from '#services/requests/facts/request-record.ts'
import { instantText } from '../channels/instant-text.ts'
import { cuesLine } from '../channels/request-notice.ts'
import { shortTask, type TaskNotice } from '../channels/task-notice.ts'
import { isDecidedInModal, pageAction, taskBlocks } from './slack-message.ts'
import { maxTextLength, piecesOf, plainText, visible } from './slack-text.ts'

/** Names of the form's fields, as Slack sends them back. */
export const decisionField = 'decision'
export const reasonField = 'reason'
export const decisionForm = 'countersign_decide'

/** What the modal shows. Slack sends it back with the form, and the decision names it. */
export interface ModalSubject {
  readonly requestId: string
  readonly revision: number
  readonly digest: string
}

/** A longer content, and one with more warnings, is decided on the page. */
const maxCharacters = 9000
const maxWarnings = 20
/** Requests with the same call that the window names. */
const maxSame = 3

/**
 * Why a request cannot be decided in Slack, as a sentence; `null` when it can. Approvers must see
 * all of it, unchanged. Pure.
 */
export function whyOnPage(record: RequestDetailRecord): string | null {
  if (record.state !== 'pending') return `It is already ${record.state}.`
  const { canDecide, reason } = record.eligibility
  if (!canDecide) return reason ?? 'You may not decide it.'
  if (record.risk === 'high') return 'High risk is decided on its page, after all of it was shown.'
  if (record.askedBeforeRestore) {
    return 'It was opened before a restore and may have been carried out already: check, and decide it on its page.'
  }
  if (!isDecidedInModal(record)) return 'This is answered on its page.'
  const { truncated, type, warnings } = record.presentation
  const content = shownText(record)
  const isLong = visible(content).length > maxCharacters || warnings.length > maxWarnings
  if (truncated || type === 'binary' || isLong) {
    return 'It is too long to be shown here in full: decide it on its page.'
  }
  if (
    [record.presentation.content, content].some((text) => findSecrets(text).length > 0) ||
    findSecretsOfExcerpt(record.title).length > 0
  ) {
    return 'It has a text that looks like a secret, which is never sent to chat: decide it on its page.'
  }
  if (record.namedFiles.length > 0) return 'It names files that are shown on its page only.'
  return null
}

/** What will happen, as text: the fields of a call by their labels, else the presentation. */
function shownText({ presentation }: RequestDetailRecord): string {
  const fields = structuredFields(presentation)
  return fields === null ? presentation.content : fieldsAsText(fields)
}

/** A modal with everything that is decided, and the form for the decision. Pure. */
export function decisionModal(record: RequestDetailRecord, publicUrl: string): ModalView {
  const { id, revision, digest } = record
  const subject: ModalSubject = { requestId: id, revision, digest }
  return {
    type: 'modal',
    callback_id: decisionForm,
    private_metadata: JSON.stringify(subject),
    title: titleOf(record),
    submit: plainText('Submit', 24),
    close: plainText('Not now', 24),
    blocks: [
      ...taskBlocks(taskOf(record)),
      { type: 'section', text: plainText(countsInWords(record.title)) },
      ...attentionOf(record),
      ...preformattedBlocks(shownText(record)),
      ...record.presentation.warnings.map((warning) => section(`Note: ${warning}`)),
      { type: 'section', fields: factsOf(record).map((fact) => plainText(fact, 2000)) },
      ...(record.agentReason === null
        ? []
        : [
            section(
              `The agent says, and nobody has checked it: “${maskSecrets(record.agentReason)}”`,
            ),
          ]),
      {
        type: 'context',
        elements: [plainText(`revision ${revision}`), plainText(digest)],
      },
      link('Open the page', requestUrl(publicUrl, id)),
      {
        type: 'input',
        block_id: decisionField,
        label: plainText('Your decision'),
        element: {
          type: 'radio_buttons',
          action_id: decisionField,
          options: [
            { text: plainText('Deny'), value: 'deny' },
            { text: plainText('Approve, once'), value: 'approve' },
          ],
        },
      },
      {
        type: 'input',
        block_id: reasonField,
        optional: true,
        label: plainText('Reason'),
        element: {
          type: 'plain_text_input',
          action_id: reasonField,
          multiline: true,
          max_length: maxTextLength,
        },
      },
    ],
  }
}

/** A modal with one sentence and a link to continue with. Pure. */
export function noticeModal(
  title: string,
  sentence: string,
  to: { readonly words: string; readonly url: string } | null,
): ModalView {
  return {
    type: 'modal',
    title: plainText(title, 24),
    close: plainText('Close', 24),
    blocks: [section(sentence), ...(to === null ? [] : [link(to.words, to.url)])],
  }
}

function titleOf({ number }: RequestDetailRecord) {
  return plainText(`Request #${number}`, 24)
}

/**
 * What deserves attention, and the outcomes of earlier equal calls, in fixed words: a reason may
 * contain a secret.
 */
function attentionOf({ cues, alike }: RequestDetailRecord): KnownBlock[] {
  const ids = new Set(displayedCues(cues).map(({ id }) => id))
  const same = alike.same
    .slice(0, maxSame)
    .map((one) => `#${one.number} (${alikeWords(one)})`)
    .join(', ')
  return [
    cuesLine({ cues: cueIds.filter((id) => ids.has(id)) }),
    againSentence(alike.again),
    same === '' ? null : `The same call: ${same}`,
  ].flatMap((line) => (line === null ? [] : [section(line)]))
}

function section(text: string): KnownBlock {
  return { type: 'section', text: plainText(text) }
}

function link(words: string, url: string): KnownBlock {
  const button = { type: 'button', action_id: pageAction, text: plainText(words), url } as const
  return { type: 'actions', elements: [button] }
}

/** The task of a person, masked as in the message: it is not what is decided. */
function taskOf({ task }: RequestDetailRecord): TaskNotice | null {
  const text = shortTask(task?.text ?? '')
  return text === null || task === null || task.by === null
    ? null
    : { by: task.by.name, at: task.at, text }
}

function factsOf(record: RequestDetailRecord): string[] {
  const { worker, lineage, rule, queue, risk, quorum, expiresAt, external } = record
  return [
    `Worker: ${worker ?? '–'}`,
    external === null
      ? `Started by: ${lineage.at(0)?.startedBy?.name ?? '–'}`
      : `Requested by: ${requestedByProgram(external)}`,
    `Queue: ${queue}`,
    `Risk: ${risk}`,
    `Rule: ${rule.text}`,
    `Needs: ${quorum.text}`,
    `Until: ${instantText(expiresAt)}`,
  ]
}

/** The unchanged content in pieces of a length that Slack accepts; none of it is markup. */
function preformattedBlocks(content: string): KnownBlock[] {
  return piecesOf(visible(content), maxTextLength).map((piece) => ({
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: piece }] }],
  }))
}

import { requestUrl } from '#domain/requests/request-url.ts'
import { needOfRequests, waitedFor } from '#domain/runs/need-of-run.ts'
import { countsInWords } from '#domain/text/effect-sentence.ts'
import { effectOf, type RequestFacts } from '../channels/channel-event.ts'
import { limitSentence } from '../channels/hourly-limit.ts'
import { instantText } from '../channels/instant-text.ts'
import { cuesLine, type RequestNotice } from '../channels/request-notice.ts'
import { taskLine } from '../channels/task-notice.ts'
import type { Mail } from './mail.ts'
import { mailButton, mailHeadline, mailHtml, mailLine, mailPage } from './mail-text.ts'

/** Why a mail about a request is sent. */
export type Occasion = 'opened' | 'reminded' | 'escalated' | 'handedOver' | 'expiring' | 'ended'

/** What a mail says about a request; never an argument. */
export interface MailedRequest extends Pick<
  RequestFacts,
  'id' | 'number' | 'kind' | 'queue' | 'risk' | 'tool' | 'title' | 'expires_at'
> {
  readonly worker: string | null
  /** how it ended, such as `Approved by Grace` */
  readonly outcome: string | null
}

/** The same with what a mail about it alone says. */
export interface MailedCard extends MailedRequest, RequestNotice {
  /** the colleague who asks the recipient to look; absent or `null`: nobody */
  readonly handedOverBy?: string | null
}

/** The address of the pages that mails link to. */
export interface MailPages {
  readonly publicUrl: string
}

/** The most characters of a name in a mail. */
export const maxWordLength = 100
const maxEffectLength = 300

/**
 * The effect of a request in one line, without its arguments (docs/notifications.md) and with
 * invisible characters named.
 */
export function effectInMail(request: MailedRequest): string {
  return mailLine(countsInWords(effectOf(request)), maxEffectLength)
}

/** One line of facts: number, risk, queue and worker. */
export function factsInMail({ number, risk, queue, worker }: MailedRequest): string {
  const by = worker === null ? '' : `, ${mailLine(worker, maxWordLength)}`
  return `#${number}, ${risk} risk, ${mailLine(queue, maxWordLength)}${by}`
}

/**
 * The mail about one request, its task first. All mails about it share a subject and a thread.
 * `isLastOfHour`: further ones are left out, and it says so.
 */
export function requestMail(
  occasion: Occasion,
  request: MailedCard,
  to: string,
  pages: MailPages & { readonly isLastOfHour?: boolean },
): Mail {
  const effect = effectInMail(request)
  const opening = openingOf(occasion, request)
  const { starter, task } = request
  const purpose = task === null ? null : taskLine(task, mailLine)
  const attention = occasion === 'ended' ? null : cuesLine(request)
  const lines = [
    factsInMail(request),
    ...(starter === null || purpose !== null
      ? []
      : [`Run started by ${mailLine(starter, maxWordLength)}`]),
    ...(attention === null ? [] : [attention]),
    ...(occasion === 'ended' ? [] : [`Expires ${instantText(request.expires_at)}`]),
    ...(pages.isLastOfHour === true
      ? [limitSentence('mail of this kind', mailLine(request.queue, maxWordLength))]
      : []),
  ]
  const url = requestUrl(pages.publicUrl, request.id)
  const link = occasion === 'ended' ? 'See the request' : 'Look at it and decide'
  const foot = footOf(pages)
  return {
    to,
    subject: `${occasion === 'opened' ? '' : 'Re: '}Approval #${request.number}: ${effect}`,
    text: `${purpose === null ? '' : `${purpose}\n`}${opening}: ${effect}\n\n${lines.join('\n')}\n\n${link}: ${url}\n\n-- \n${foot.text}\n`,
    html: mailPage(
      purpose === null ? '' : `<p style="margin:0 0 16px">${mailHtml(purpose)}</p>`,
      `<p style="margin:0 0 4px">${mailHtml(opening)}</p>`,
      mailHeadline(mailHtml(effect)),
      `<p>${lines.map(mailHtml).join('<br>')}</p>`,
      mailButton(url, link),
      foot.html,
    ),
    thread: `request-${request.id}`,
    unsubscribe: accountUrl(pages),
    ...(pages.isLastOfHour === true ? { onceEnded: limitMail(request, pages) } : {}),
  }
}

/** The mail in place of the last one of an hour, if the request of that one has ended. */
function limitMail({ queue }: MailedRequest, pages: MailPages): NonNullable<Mail['onceEnded']> {
  const name = mailLine(queue, maxWordLength)
  const sentence = limitSentence('mail of this kind', name)
  const url = `${pages.publicUrl}/`
  const foot = footOf(pages)
  return {
    subject: `Approvals in ${name}: more may wait`,
    text: `${sentence}: ${url}\n\n-- \n${foot.text}\n`,
    html: mailPage(`<p>${mailHtml(sentence)}</p>`, mailButton(url, 'Open the inbox'), foot.html),
    thread: null,
    unsubscribe: accountUrl(pages),
  }
}

function openingOf(occasion: Occasion, { kind, outcome, handedOverBy }: MailedCard): string {
  const end = waitedFor[needOfRequests([{ kind }])]
  const openings: Readonly<Record<Exclude<Occasion, 'ended'>, string>> = {
    opened: `Waits for ${end}`,
    reminded: `Still waits for ${end}`,
    escalated: `Waits for ${end}; more people may decide it now`,
    handedOver: `${mailLine(handedOverBy ?? 'A colleague', maxWordLength)} hands it over to you; it waits for ${end}`,
    expiring: `Expires soon without ${end}`,
  }
  return occasion === 'ended' ? mailLine(outcome ?? 'Ended', maxWordLength) : openings[occasion]
}

/** The address of the page with the mail settings. */
export function accountUrl({ publicUrl }: Pick<MailPages, 'publicUrl'>): string {
  return `${publicUrl}/account`
}

/** The foot of every notification, as text and as HTML. */
export function footOf(pages: MailPages): { readonly text: string; readonly html: string } {
  const answers = 'A reply to this mail decides nothing, and nobody reads replies.'
  const url = accountUrl(pages)
  return {
    text: `${answers}\nYour mail settings: ${url}`,
    html: `<p><small>${answers} <a href="${url}">Your mail settings</a></small></p>`,
  }
}

import { instantText } from '../channels/instant-text.ts'
import type { Mail } from './mail.ts'
import {
  effectInMail,
  factsInMail,
  footOf,
  requestUrl,
  type MailedRequest,
  type MailPages,
} from './request-mail.ts'
import { mailButton, mailHeadline, mailHtml, mailPage } from './mail-text.ts'

/** The content of a digest. The lists may be shorter than their counts. */
export interface DigestContent {
  /** pending requests for the person, by expiry; `fresh`: opened since their last digest */
  readonly waiting: readonly (MailedRequest & { readonly fresh: boolean })[]
  readonly waitingCount: number
  readonly freshCount: number
  readonly ended: readonly MailedRequest[]
  readonly endedCount: number
}

/**
 * One mail with all pending requests and those that ended since the last digest; `null` when there
 * are none.
 */
export function digestMail(content: DigestContent, to: string, pages: MailPages): Mail | null {
  const { waiting, waitingCount, freshCount, ended: ends, endedCount } = content
  if (waitingCount === 0 && endedCount === 0) return null
  const counts = [
    ...(waitingCount === 0 ? [] : [`${waitingCount} waiting, ${freshCount} of them new`]),
    ...(endedCount === 0 ? [] : [`${endedCount} ended`]),
  ].join('; ')
  const sections = [
    section('Waiting for you', waiting, waitingCount, pages, (one) => {
      const { fresh, expires_at: at } = one
      return `${fresh ? 'new, ' : ''}expires ${instantText(at)}`
    }),
    section('Ended', ends, endedCount, pages, ({ outcome }) => outcome ?? 'Ended'),
  ].filter((one) => one !== null)
  const foot = footOf(pages)
  const { publicUrl } = pages
  return {
    to,
    subject: `Approvals: ${counts}`,
    text: `${sections.map(({ text }) => text).join('\n')}\nThe inbox: ${publicUrl}/\n\n-- \n${foot.text}\n`,
    html: mailPage(
      ...sections.map(({ html }) => html),
      mailButton(`${publicUrl}/`, 'The inbox'),
      foot.html,
    ),
    thread: null,
    unsubscribe: `${publicUrl}/account`,
  }
}

function section<T extends MailedRequest>(
  title: string,
  requests: readonly T[],
  count: number,
  pages: MailPages,
  stateOf: (request: T) => string,
): { readonly text: string; readonly html: string } | null {
  if (count === 0) return null
  const more = count - requests.length
  const rest = more === 0 ? null : `and ${more} more`
  const items = requests.map((one) => ({
    number: one.number,
    effect: effectInMail(one),
    facts: `${factsInMail(one)}; ${stateOf(one)}`,
    url: requestUrl(pages, one.id),
  }))
  const lines = items.map(({ effect, facts, url }) => `- ${effect}\n  ${facts}\n  ${url}\n`)
  const points = items.map(
    ({ number, effect, facts, url }) =>
      `<li style="margin-bottom:12px"><strong>${mailHtml(effect)}</strong><br>${mailHtml(facts)}<br><a href="${url}">See #${number}</a></li>`,
  )
  return {
    text: `${title}\n\n${lines.join('')}${rest === null ? '' : `  ${rest}\n`}`,
    html: `${mailHeadline(title)}<ul style="padding-left:20px">${points.join('')}</ul>${rest === null ? '' : `<p>${rest}</p>`}`,
  }
}

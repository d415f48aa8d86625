import { requestUrl } from '#domain/requests/request-url.ts'
import { instantText } from '../channels/instant-text.ts'
import { taskLine, type TaskNotice } from '../channels/task-notice.ts'
import type { Mail } from './mail.ts'
import {
  accountUrl,
  effectInMail,
  factsInMail,
  footOf,
  maxWordLength,
  type MailedRequest,
  type MailPages,
} from './request-mail.ts'
import { mailButton, mailHeadline, mailHtml, mailLine, mailPage } from './mail-text.ts'

/** A request in a digest, with its task as a mail about it alone has it. */
export interface DigestEntry extends MailedRequest {
  readonly task: TaskNotice | null
}

/** The content of a digest. The lists may be shorter than their counts. */
export interface DigestContent {
  /**
   * pending requests for the person, those that were handed over to them first, then by expiry;
   * `fresh`: opened since their last digest
   */
  readonly waiting: readonly (DigestEntry & {
    readonly fresh: boolean
    /** the colleague who asks the person to look; `null`: nobody */
    readonly handedOverBy: string | null
  })[]
  readonly waitingCount: number
  readonly freshCount: number
  readonly ended: readonly DigestEntry[]
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
      const { fresh, handedOverBy: giver, expires_at: at } = one
      const by = giver === null ? '' : `handed over to you by ${mailLine(giver, maxWordLength)}, `
      return `${by}${fresh ? 'new, ' : ''}expires ${instantText(at)}`
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
    unsubscribe: accountUrl(pages),
  }
}

function section<T extends DigestEntry>(
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
    lines: [
      ...(one.task === null ? [] : [taskLine(one.task, mailLine)]),
      `${factsInMail(one)}; ${stateOf(one)}`,
    ],
    url: requestUrl(pages.publicUrl, one.id),
  }))
  const texts = items.map(({ effect, lines, url }) => `- ${[effect, ...lines, url].join('\n  ')}\n`)
  const points = items.map(
    ({ number, effect, lines, url }) =>
      `<li style="margin-bottom:12px"><strong>${mailHtml(effect)}</strong><br>${lines.map(mailHtml).join('<br>')}<br><a href="${url}">See #${number}</a></li>`,
  )
  return {
    text: `${title}\n\n${texts.join('')}${rest === null ? '' : `  ${rest}\n`}`,
    html: `${mailHeadline(title)}<ul style="padding-left:20px">${points.join('')}</ul>${rest === null ? '' : `<p>${rest}</p>`}`,
  }
}

import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { countsInWords, effectSentence } from '#domain/text/effect-sentence.ts'
import { visibleText } from '#domain/text/visible-text.ts'
import { maskedString } from '../text/masked-string.ts'

/** A notification of the browser: text only, without arguments of the call. */
export interface Notice {
  readonly title: string
  readonly body: string
  /** the same in every tab, so that a second notification replaces the first */
  readonly tag: string
  readonly path: string
}

export type NoticedRequest = Pick<
  RequestDetail,
  'id' | 'number' | 'state' | 'kind' | 'tool' | 'title' | 'risk' | 'queue' | 'eligibility'
>

/** A new request's notification, if the person may decide it now; else `null`. Pure. */
export function noticeOf(request: NoticedRequest): Notice | null {
  if (request.state !== 'pending' || !request.eligibility.canDecide) return null
  const title = maskedString(request.title)
  return {
    title: displayText(countsInWords(effectSentence({ ...request, title }))),
    body: `#${request.number}, ${request.risk} risk, ${displayText(request.queue)}`,
    tag: `countersign-${request.id}`,
    path: `/requests/${request.id}`,
  }
}

/** Names invisible characters, because a notification cannot show chips. */
export function displayText(text: string): string {
  return visibleText(text.replaceAll(/[\n\t]/g, ' '))
    .map((part) => (part.kind === 'chip' ? `⟦${part.label}⟧` : part.text))
    .join('')
}

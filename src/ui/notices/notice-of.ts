import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { effectSentence } from '#domain/text/effect-sentence.ts'
import { visibleText } from '#domain/text/visible-text.ts'

/** What the browser shows outside of the page: text alone, nothing of the arguments. */
export interface Notice {
  readonly title: string
  readonly body: string
  /** the same for a request in every tab, so that a second one takes the place of the first */
  readonly tag: string
  readonly path: string
}

export type NoticedRequest = Pick<
  RequestDetail,
  'id' | 'number' | 'state' | 'kind' | 'tool' | 'title' | 'risk' | 'queue' | 'eligibility'
>

/** The notice of a new request: for who may decide it, while it waits; else `null`. Pure. */
export function noticeOf(request: NoticedRequest): Notice | null {
  if (request.state !== 'pending' || !request.eligibility.canDecide) return null
  return {
    title: displayText(effectSentence(request)),
    body: `#${request.number}, ${request.risk} risk, ${displayText(request.queue)}`,
    tag: `countersign-${request.id}`,
    path: `/requests/${request.id}`,
  }
}

/** Invisible characters by name: a notice has no chips. */
function displayText(text: string): string {
  return visibleText(text.replaceAll(/[\n\t]/g, ' '))
    .map((part) => (part.kind === 'chip' ? `⟦${part.label}⟧` : part.text))
    .join('')
}

import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { printableLine } from './terminal-text.ts'
import { ownRows } from './wrap.ts'

interface WaitingFor {
  readonly who: string
  /** of the request's page */
  readonly url: string
  readonly columns: number | null
}

/**
 * That a request waits for somebody else, and where. At a terminal the address has a line of its
 * own, which is never cut, so that a click opens it.
 */
export function waitingLines(
  { number, title }: Pick<RequestItem, 'number' | 'title'>,
  { who, url, columns }: WaitingFor,
): string[] {
  const sentence = `#${number} ${printableLine(title)} waits for ${printableLine(who)}`
  return columns === null ? [`${sentence}: ${url}`] : [...ownRows(`${sentence}:`, columns), url]
}

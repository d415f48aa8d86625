import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { needOfRequests, type RunNeed } from '#domain/runs/need-of-run.ts'

/** What to do with a request, as a sentence that ends with the command. */
export function commandOf(request: Pick<RequestDetail, 'kind' | 'number'>): string {
  const { number } = request
  switch (needOfRequests([request])) {
    case 'answer':
      return `Answer it: countersign answer ${number}`
    case 'settle':
      return `Find out whether it ran, then record it: countersign requests settle ${number} --ran yes|no|unknown --then continue|again|stop -m REASON`
    case 'decide':
      return `Approve or deny it: countersign approve ${number}, or countersign deny ${number}`
  }
}

const kinds: Readonly<Record<RunNeed, string>> = {
  decide: 'a question',
  answer: 'a question: the agent waits for words',
  settle: 'an outcome check: nobody knows what became of a call',
}

/**
 * Why a verb does not fit the kind of a request, with the verb that does if the request is open;
 * `null` if it fits.
 */
export function misfitOf(
  verb: Exclude<RunNeed, 'settle'>,
  request: Pick<RequestDetail, 'kind' | 'number' | 'state'>,
): string | null {
  const own = needOfRequests([request])
  if (own === verb) return null
  const is = own === 'decide' ? 'is not' : 'is'
  const next = request.state === 'pending' ? commandOf(request) : endOf(own, request)
  return `#${request.number} ${is} ${kinds[own]}. ${next}`
}

function endOf(own: RunNeed, { state }: Pick<RequestDetail, 'state'>): string {
  if (state !== 'approved' || own === 'decide') return `It is ${state}`
  return own === 'answer' ? 'It was answered' : 'It was settled'
}

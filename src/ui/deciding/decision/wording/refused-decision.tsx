import type { ApiRefusal } from '../../../api/call-api.ts'
import { Notice } from '../../../states/notice.tsx'
import { clockTime } from '../../../text/time.tsx'
import { type Attempt, refusalWords } from './refusal-words.ts'

/** A function that makes the announcement of a refused decision. */
export function refusalOf(attempt: 'approval' | 'denial'): (refusal: ApiRefusal) => string {
  return (refusal) => {
    const { title, text } = refusalWords(refusal, attempt, clockTime)
    return `${title.replace(/[.]$/, '')}. ${text}`
  }
}

/** Says that the service did not record a decision, an answer or a finding, and why. */
export function RefusedDecision(props: { refusal: ApiRefusal; attempt: Attempt }) {
  const { title, text } = refusalWords(props.refusal, props.attempt, clockTime)
  return (
    <Notice tone="bad" title={title}>
      {text}
    </Notice>
  )
}

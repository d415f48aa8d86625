import type { DecisionOutcome } from '#domain/deciding/waits-for.ts'
import { Notice } from '../../../states/notice.tsx'
import { clockTime } from '../../../text/time.tsx'
import { refusalWords } from './refusal-words.ts'

type Refusal = Parameters<typeof refusalWords>[0]

/** A function that makes the announcement of a refused decision. */
export function refusalOf(attempt: 'approval' | 'denial'): (refusal: Refusal) => string {
  return (refusal) => {
    const { title, text } = refusalWords(refusal, attempt, clockTime)
    return `${title.replace(/[.]$/, '')}. ${text}`
  }
}

/** Says that the service did not record a decision, and why. */
export function RefusedDecision(props: { refusal: Refusal; decision: DecisionOutcome }) {
  const attempt = props.decision === 'approve' ? 'approval' : 'denial'
  const refusalText = refusalWords(props.refusal, attempt, clockTime)
  return (
    <Notice tone="bad" title={refusalText.title}>
      {refusalText.text}
    </Notice>
  )
}

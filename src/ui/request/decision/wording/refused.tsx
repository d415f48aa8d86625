import { Notice } from '../../../states/notice.tsx'
import { clockTime } from '../../../text/time.tsx'
import { refusalWords } from './refusal-words.ts'
import type { DecisionOutcome } from './stage-sentence.ts'

type Refusal = Parameters<typeof refusalWords>[0]

/** What a refusal of a held decision is announced with, as a function of the refusal. */
export function refusalOf(attempt: 'approval' | 'denial'): (refusal: Refusal) => string {
  return (refusal) => {
    const { title, text } = refusalWords(refusal, attempt, clockTime)
    return `${title}. ${text}`
  }
}

/** That the service did not record a decision, and why. */
export function Refused(props: { refusal: Refusal; attempted: DecisionOutcome }) {
  const attempt = props.attempted === 'approve' ? 'approval' : 'denial'
  const refusalText = refusalWords(props.refusal, attempt, clockTime)
  return (
    <Notice tone="bad" title={refusalText.title}>
      {refusalText.text}
    </Notice>
  )
}

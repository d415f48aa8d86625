import { clockTime } from '../../../text/time.tsx'
import { Notice } from '../../notice.tsx'
import { refusalWords } from '../wording/refusal-words.ts'

/** Why an answer or a settlement was not taken. */
export function RefusedAnswer({ refusal }: { refusal: Parameters<typeof refusalWords>[0] }) {
  const words = refusalWords(refusal, 'answer', clockTime)
  return (
    <Notice tone="bad" title={words.title}>
      {words.text}
    </Notice>
  )
}

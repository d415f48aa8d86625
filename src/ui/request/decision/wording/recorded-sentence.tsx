import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { DecisionAnswer } from '../../../../api/schemas/requests/decisions.ts'
import type { RequestDetail } from '../../../../api/schemas/requests/requests.ts'
import { outcomeOf } from '../../state-words.ts'
import { isTakenUp, stageSentence, waitsFor, type Decided } from './stage-sentence.ts'

/** How often the page asks how far a recorded decision is. */
const askEveryMs = 2_000
/** How long a worker that is there may take before it is said to be away. */
const lateAfterMs = 6_000

/** What came of a recorded decision, kept true while it goes its way. `again` asks for its stage anew. */
export function RecordedSentence(props: {
  answer: DecisionAnswer
  decided: Decided
  request: RequestDetail
  again: () => Promise<void>
}) {
  const { answer, decided, request, again } = props
  const client = useQueryClient()
  const [late, setLate] = useState(false)
  const over = answer.state === 'pending' || request.kind === 'external' || isTakenUp(request)
  const told = answer.stage !== 'recorded'
  useEffect(() => {
    if (over) return
    const timer = setInterval(() => {
      void (told ? client.invalidateQueries({ queryKey: ['request'] }) : again())
    }, askEveryMs)
    return () => clearInterval(timer)
  }, [over, told, client, again])
  const isNext = told && !over && waitsFor(decided, request) === null
  useEffect(() => {
    setLate(false)
    if (!isNext) return
    const timer = setTimeout(() => setLate(true), lateAfterMs)
    return () => clearTimeout(timer)
  }, [isNext])
  if (answer.state === 'pending' && request.state !== 'pending') {
    return `Recorded. ${outcomeOf(request)}.`
  }
  return stageSentence(answer, decided, request, late)
}

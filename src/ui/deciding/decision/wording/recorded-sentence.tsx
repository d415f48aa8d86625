import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { DecisionAnswer } from '#api/schemas/requests/decisions.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { type DecisionOutcome, waitsFor } from '#domain/deciding/waits-for.ts'
import { outcomeOf } from '../../facts/state-words.ts'
import { hasStarted, stageSentence } from './stage-sentence.ts'
import { useOverdue } from './use-overdue.ts'

/** The interval at which the page loads the stage of a recorded decision. */
const askEveryMs = 2_000

export interface RecordedSentenceProps {
  readonly answer: DecisionAnswer
  readonly decided: DecisionOutcome
  readonly request: RequestDetail
  readonly loadStage: () => Promise<void>
}

/** The current stage of a recorded decision. `loadStage` loads it. */
export function RecordedSentence(props: RecordedSentenceProps) {
  const { answer, decided, request, loadStage } = props
  const client = useQueryClient()
  const isOfNoCall = request.kind === 'external' || request.kind === 'start'
  const over = answer.state === 'pending' || isOfNoCall || hasStarted(request)
  const isDelivered = answer.stage !== 'recorded'
  useEffect(() => {
    if (over) return
    const timer = setInterval(() => {
      void (isDelivered ? client.invalidateQueries({ queryKey: ['request'] }) : loadStage())
    }, askEveryMs)
    return () => clearInterval(timer)
  }, [over, isDelivered, client, loadStage])
  const isNext = isDelivered && !over && waitsFor(decided, request) === null
  const isOverdue = useOverdue(isNext)
  if (answer.state === 'pending' && request.state !== 'pending') {
    return `Recorded. ${outcomeOf(request)}.`
  }
  return stageSentence(answer, decided, request, isOverdue)
}

import { useQuery } from '@tanstack/react-query'
import type { BulkItem } from '#api/schemas/requests/decisions.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { type DecisionOutcome, waitsFor } from '#domain/deciding/waits-for.ts'
import { ApiRefusal } from '../api/call-api.ts'
import { requestQuery } from '../api/queries.ts'
import { refusalWords } from '../deciding/decision/wording/refusal-words.ts'
import { hasStarted, stageSentence } from '../deciding/decision/wording/stage-sentence.ts'
import { useOverdue } from '../deciding/decision/wording/use-overdue.ts'
import { Notice } from '../states/notice.tsx'
import { clockTime } from '../text/time.tsx'
import type { CallChoice } from './plan-decisions.ts'

/** The page loads what became of a recorded decision after this time, and then ever less often. */
const loadAfterMs = 2_000
const loadEveryMs = 20_000

/** The result of one of several decisions, at the place of its choice. */
export function CallResultLine({ item, choice }: { item: BulkItem; choice: CallChoice }) {
  if (item.status === 200) {
    return (
      <Notice tone="plain" title={choice === 'deny' ? 'Denied by you' : 'Approved by you'}>
        <RecordedSentence
          requestId={item.requestId}
          decided={choice === 'deny' ? 'deny' : 'approve'}
        />
      </Notice>
    )
  }
  const { status, code, detail, ...facts } = item
  const refusal = new ApiRefusal(status, code ?? 'internal', detail ?? 'It was refused.', facts)
  const words = refusalWords(refusal, choice === 'deny' ? 'denial' : 'approval', clockTime)
  return (
    <Notice tone="bad" title={words.title}>
      {words.text}
    </Notice>
  )
}

/** What a recorded decision waits for, or that the run goes on once the run has acted on it. */
function RecordedSentence(props: { requestId: string; decided: DecisionOutcome }) {
  const { requestId, decided } = props
  const { data } = useQuery({
    ...requestQuery(requestId),
    // Not with the events of other calls: a turn may have a hundred.
    queryKey: ['what became of', requestId],
    enabled: ({ state }) => state.data === undefined || !hasStarted(state.data),
    refetchInterval: ({ state }) => Math.min(loadAfterMs * state.dataUpdateCount, loadEveryMs),
  })
  const isNext =
    data !== undefined &&
    data.state !== 'pending' &&
    !hasStarted(data) &&
    waitsFor(decided, data) === null
  const isOverdue = useOverdue(isNext)
  if (isNext) {
    return isOverdue
      ? 'Recorded. It will go on when Temporal and a Temporal worker are back.'
      : 'Recorded.'
  }
  return data === undefined ? 'Recorded.' : sentenceOf(decided, data)
}

function sentenceOf(decided: DecisionOutcome, request: RequestDetail): string {
  const { state, quorum } = request
  return stageSentence({ state, quorum, stage: 'delivered' }, decided, request, false)
}

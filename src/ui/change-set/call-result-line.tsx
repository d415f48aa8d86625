import { useQuery } from '@tanstack/react-query'
import type { BulkItem } from '#api/schemas/requests/decisions.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { type DecisionOutcome, waitsFor } from '#domain/deciding/waits-for.ts'
import { ApiRefusal } from '../api/call-api.ts'
import { requestQuery, useMe } from '../api/queries.ts'
import { RefusedDecision } from '../deciding/decision/wording/refused-decision.tsx'
import {
  hasStarted,
  sentenceOfAnswer,
  stageSentence,
} from '../deciding/decision/wording/stage-sentence.ts'
import { useOverdue } from '../deciding/decision/wording/use-overdue.ts'
import { effectWords, outcomeWithEffect, toneOfEffect } from '../deciding/facts/state-words.ts'
import { Notice } from '../states/notice.tsx'
import type { PresentedRequest } from './change-entries.ts'
import type { CallChoice } from './plan-decisions.ts'

/** The page loads what became of a recorded decision after this time, and then ever less often. */
const loadAfterMs = 2_000
const loadEveryMs = 20_000

/**
 * The result of one of several decisions, at the place of its choice. `request`: as the change set
 * has it, which each event of the run loads again.
 */
export function CallResultLine(props: {
  item: BulkItem
  choice: CallChoice
  request: PresentedRequest
}) {
  const { item, choice, request } = props
  if (item.status === 200) {
    const effect = choice === 'deny' ? null : effectWords(request.execution)
    const title = choice === 'deny' ? 'Denied by you' : 'Approved by you'
    return (
      <Notice
        tone={effect === null ? 'plain' : toneOfEffect(request.execution)}
        title={effect === null ? title : `${title}, ${effect}`}
      >
        {item.state === 'pending' ? (
          <VoteSentence request={request} />
        ) : (
          <RecordedSentence request={request} decided={choice === 'deny' ? 'deny' : 'approve'} />
        )}
      </Notice>
    )
  }
  const { status, code, detail, ...facts } = item
  const refusal = new ApiRefusal(status, code ?? 'internal', detail ?? 'It was refused.', facts)
  return <RefusedDecision refusal={refusal} attempt={choice === 'deny' ? 'denial' : 'approval'} />
}

/** What is needed after an approval that was not the last one, or how others ended the request. */
function VoteSentence({ request }: { request: PresentedRequest }) {
  const me = useMe().person.id
  if (request.state !== 'pending') return `Recorded. ${outcomeWithEffect(request)}.`
  // Until the change set is loaded again, it does not count the approval.
  const isCounted = request.quorum.counted.some(({ person }) => person.id === me)
  return isCounted ? sentenceOfAnswer(request, 'approve') : 'Recorded.'
}

/** What the last decision waits for, or that the run goes on once the run has acted on it. */
function RecordedSentence(props: { request: PresentedRequest; decided: DecisionOutcome }) {
  const { request, decided } = props
  const { data, isError } = useQuery({
    ...requestQuery(request.id),
    // Not with the events of other calls: a turn may have a hundred.
    queryKey: ['what became of', request.id],
    enabled: ({ state }) => state.data === undefined || !hasStarted(state.data),
    refetchInterval: ({ state }) => Math.min(loadAfterMs * state.dataUpdateCount, loadEveryMs),
  })
  const isNext = data !== undefined && !hasStarted(data) && waitsFor(decided, data) === null
  const isOverdue = useOverdue(isNext)
  if (isNext) {
    return isOverdue
      ? 'Recorded. It will go on when Temporal and a Temporal worker are back.'
      : 'Recorded.'
  }
  if (data !== undefined) return sentenceOf(decided, data)
  const { quorum } = request
  const state = decided === 'deny' ? 'denied' : 'approved'
  return isError ? sentenceOfAnswer({ state, quorum }, decided) : 'Recorded.'
}

function sentenceOf(decided: DecisionOutcome, request: RequestDetail): string {
  const { state, quorum } = request
  return stageSentence({ state, quorum, stage: 'delivered' }, decided, request, false)
}

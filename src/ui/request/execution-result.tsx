import { Link } from 'react-router'
import type { CallResult } from '../../api/schemas/runs/transcript.ts'
import type { RequestDetail } from '../../api/schemas/requests/requests.ts'
import { useTranscript } from '../api/queries.ts'
import { CallResultView } from '../runs/call-result.tsx'
import { Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { executionSentence, outcomeOf } from './state-words.ts'
import { TakeBack } from './take-back.tsx'

/** What happened to the effect, in place: the state, when, and what the tool returned. */
export function ExecutionResult({ request }: { request: RequestDetail }) {
  const { execution } = request
  const sentence = executionSentence(execution, request)
  const ended = ['succeeded', 'failed', 'unknown'].includes(execution.state)
  const answered = request.kind === 'question' && request.state === 'approved'
  const transcript = useTranscript(ended || answered ? request.runId : null)
  if (sentence === null && request.state === 'pending') return null
  const call = transcript.data?.items
    .flatMap((item) => item.calls ?? [])
    .find((one) => one.callId === request.callId)
  return (
    <section className={`card result result-${execution.state}`} aria-labelledby="result-title">
      <h2 id="result-title">{outcomeOf(request)}</h2>
      <Denial request={request} />
      {sentence !== null && (
        <p role="status">
          {sentence}{' '}
          {execution.finishedAt !== undefined && (
            <span className="dim">
              <Time at={execution.finishedAt} />
            </span>
          )}
        </p>
      )}
      <TakeBack request={request} />
      {request.supersededBy !== null && (
        <p>
          <Link to={`/requests/${request.supersededBy}`}>Go to the fresh request</Link>
        </p>
      )}
      {call?.result !== undefined && <Result result={call.result} callId={call.callId} />}
    </section>
  )
}

/** Why it was denied, in the words of who did, and what the run did then. */
function Denial({ request }: { request: RequestDetail }) {
  const denial = request.decisions.find(({ decision }) => decision === 'deny')
  if (request.state !== 'denied' || denial === undefined) return null
  return (
    <>
      {denial.reason !== null && (
        <blockquote className="statement">
          <VisibleText text={denial.reason} />
        </blockquote>
      )}
      {denial.then === 'stop' && <p>The run was stopped with it.</p>}
    </>
  )
}

function Result({ result, callId }: { result: CallResult; callId: string }) {
  return (
    <div className="facts-line">
      <CallResultView result={result} callId={callId} />
    </div>
  )
}

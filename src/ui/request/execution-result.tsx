import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { executionSentence } from '#domain/requests/execution-sentence.ts'
import { executionOutcomes } from '#domain/requests/request.ts'
import type { CallResult } from '#api/schemas/runs/transcript.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { requestQuery, useTranscript, useMe } from '../api/queries.ts'
import { Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { OutcomeCheckLink } from '../deciding/facts/outcome-check-link.tsx'
import { outcomeOf } from '../deciding/facts/state-words.ts'
import { later } from '../states/later.tsx'
import { isOfQueue } from '../deciding/facts/is-of-queue.ts'

export const resultTitleId = 'result-title'

/** Loaded for the calls that have a result, which is loaded too. */
const CallResultView = later(() =>
  import('../runs/calls/call-result.tsx').then((module) => module.CallResultView),
)

/** Loaded for the few approvals that can be revoked. */
const RevokeApproval = later(
  () => import('./revoke-approval.tsx').then((module) => module.RevokeApproval),
  () => <div className="revoke-space" />,
)

/** The run that has the result of the call; `null`: there is none yet. */
function runOfResult({ kind, state, execution, runId }: RequestDetail): string | null {
  const hasEnded = executionOutcomes.some((one) => one === execution.state)
  return hasEnded || (kind === 'question' && state === 'approved') ? runId : null
}

/**
 * After this time a request is shown without its result. When the result arrives later, it moves
 * what is below it.
 */
const maxResultWaitMs = 3_000

/** Whether the result of the call, if there is one, can be drawn, or takes too long. */
export function useResultReady(request: RequestDetail): boolean {
  const runId = runOfResult(request)
  const { isLoading } = useTranscript(runId)
  const [hasView, setHasView] = useState(CallResultView.isLoaded)
  const [isLate, setLate] = useState(false)
  const isNeeded = runId !== null
  useEffect(() => {
    if (!isNeeded) return
    const end = (): void => setHasView(true)
    CallResultView.fetch().then(end, end)
    const until = performance.now() + maxResultWaitMs
    const timer = setInterval(() => setLate(performance.now() > until), 250)
    return () => clearInterval(timer)
  }, [isNeeded])
  return !isNeeded || isLate || (hasView && !isLoading)
}

/**
 * The execution of the call: its state, its times, and the result of the tool. `isBelowDecision`:
 * the decision is shown above it and is not repeated.
 */
export function ExecutionResult(props: { request: RequestDetail; isBelowDecision: boolean }) {
  const { request } = props
  const { execution } = request
  const sentence = executionSentence(execution, request)
  const transcript = useTranscript(runOfResult(request))
  if (request.state === 'pending' && (sentence === null || request.kind === 'outcome_check')) {
    return null
  }
  const call = transcript.data?.items
    .flatMap((item) => item.calls ?? [])
    .find((one) => one.callId === request.callId)
  return (
    <section
      className={`card result result-${toneClass(execution)}`}
      aria-labelledby={resultTitleId}
    >
      <h2 id={resultTitleId} tabIndex={-1}>
        {props.isBelowDecision ? titleBelow(request) : outcomeOf(request)}
      </h2>
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
      <Revocation request={request} />
      {request.supersededBy !== null && (
        <p>
          <Link to={`/requests/${request.supersededBy}`}>Go to the new request</Link>
        </p>
      )}
      {request.outcomeCheck !== null && <OutcomeCheck id={request.outcomeCheck} />}
      {call?.result !== undefined && <Result {...call} result={call.result} />}
    </section>
  )
}

/** A link to the outcome check of the call. */
function OutcomeCheck({ id }: { id: string }) {
  const { data: check } = useQuery(requestQuery(id))
  return (
    <p>
      <OutcomeCheckLink id={id} maySettle={check?.eligibility.canDecide === true} />
    </p>
  )
}

/** Until its call starts, an approval can be revoked by the people of the queue. */
function Revocation({ request }: { request: RequestDetail }) {
  const me = useMe()
  const waits = request.permit === 'live' && request.execution.state === 'not_started'
  return waits && isOfQueue(me, request) ? <RevokeApproval request={request} /> : null
}

/** A command with a non-zero exit code is drawn as failed. */
function toneClass({ state, exitCode }: RequestDetail['execution']): string {
  return state === 'succeeded' && exitCode !== undefined && exitCode !== 0 ? 'failed' : state
}

/** The denial that ended a request. */
function denialOf({ state, decisions }: RequestDetail) {
  return state === 'denied' ? decisions.find(({ decision }) => decision === 'deny') : undefined
}

/** The title for a denial with a reason differs: the section then shows the reason. */
function titleBelow(request: RequestDetail): string {
  return (denialOf(request)?.reason ?? null) === null ? 'What came of it' : 'Why it was denied'
}

/** The reason of a denial, and what the run did after it. */
function Denial({ request }: { request: RequestDetail }) {
  const denial = denialOf(request)
  if (denial === undefined) return null
  return (
    <>
      {denial.reason !== null && (
        <blockquote className="statement">
          <VisibleText text={denial.reason} />
        </blockquote>
      )}
      {denial.then === 'stop' && <p>This denial also stopped the run.</p>}
    </>
  )
}

function Result(props: { result: CallResult; callId: string; tool: string }) {
  const { result, callId, tool } = props
  return (
    <div className="facts-line">
      <CallResultView result={result} callId={callId} tool={tool} hasExitSentence />
    </div>
  )
}

import { Link } from 'react-router'
import { neededPeople } from '#domain/deciding/needed-people.ts'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import type { TranscriptItem } from '#api/schemas/runs/transcript.ts'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import { needOfRun, waitedFor } from '#domain/runs/need-of-run.ts'
import { Time } from '../../text/time.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { useMe } from '../../api/queries.ts'
import { namesOf } from '../../deciding/facts/people-left.ts'
import { childWithRequests, runStateText } from '../run-state.tsx'
import { CallDecision, DecideButton, useIsOpen } from '../calls/call-decision.tsx'

/** The end of the conversation: whether the run waits for people, works, or has ended. */
export function RunStatus(props: {
  run: RunDetail
  /** undefined: not loaded, so that nothing says who works */
  items: readonly TranscriptItem[] | undefined
}) {
  const { run, items } = props
  if (run.state === 'running') {
    const below = openChildren(run)
    // The banner of the page announces it.
    if (below.length > 0) {
      const workers = below.map(({ worker }) => worker).join(' and ')
      return <p className="standing">Waits for {workers}.</p>
    }
    if (items === undefined) return null
    const tool = toolAtWork(items)
    return (
      <p className="standing" role="status">
        <span className="standing-dot" aria-hidden />{' '}
        {tool === undefined ? 'The model' : <VisibleText text={tool} />} is at work.
      </p>
    )
  }
  if (run.state === 'waiting_for_approval') {
    const needed = run.waitsFor.flatMap(({ people }) => neededPeople(people))
    const people = [...new Map(needed.map((one) => [one.id, one])).values()]
    return (
      <p className="standing" role="status">
        Waits for {waitedFor[needOfRun(run)]}
        {people.length > 0 && ` from ${namesOf(people)}`}.
      </p>
    )
  }
  if (run.rest !== 'answered' || run.restsUntil == null) return null
  return (
    <p className="standing">
      <span>
        It waits for the next message. It ends by itself <Time at={run.restsUntil} />.
      </span>
    </p>
  )
}

/** The tool of the call that has started and not ended: meanwhile the model waits. */
function toolAtWork(items: readonly TranscriptItem[]): string | undefined {
  const calls = items.findLast(({ role }) => role === 'assistant')?.calls ?? []
  return calls.find(
    ({ result, times }) =>
      result === undefined && times?.startedAt != null && times.finishedAt === null,
  )?.tool
}

/** What a child run that has not ended does. */
function doingOf(child: RunDetail['children'][number], { waitsFor }: RunDetail): string {
  if (child.state === 'running') return 'is at work'
  return runStateText(childWithRequests(child, waitsFor))
}

/** The child runs that have not ended, which a run waits for. */
function openChildren({ children }: RunDetail): RunDetail['children'] {
  return children.filter(({ state }) => !isEnd(runTransitions, state))
}

/** The child runs that a run waits for, and what these wait for. */
export function WaitsFor({ run }: { run: RunDetail }) {
  const open = openChildren(run)
  if (open.length === 0) return null
  return (
    <p className="banner" role="status">
      Waits for{' '}
      {open.map((child, index) => (
        <span key={child.runId}>
          {index > 0 && ' and '}
          <Link to={`/runs/${child.runId}`}>{child.worker}</Link>, which {doingOf(child, run)}
        </span>
      ))}
      .
    </p>
  )
}

/**
 * A run whose start needs an approval: the request and who can decide it, with the form for those
 * who may. The form stays open until it is closed, also when the run has begun.
 */
export function WaitsToStart({ run }: { run: RunDetail }) {
  const { person } = useMe()
  const { startRequestId } = run
  const isOpen = useIsOpen(startRequestId)
  const request = run.waitsFor.find(({ requestId }) => requestId === startRequestId)
  const people = request?.people ?? []
  const isOwn = people.some(({ id }) => id === person.id)
  return (
    <>
      {request !== undefined && (
        <div className="banner row spread">
          <p role="status">
            <strong>It has not begun.</strong> Its start waits for{' '}
            <Link to={`/requests/${request.requestId}`}>request #{request.number}</Link>
            {people.length > 0 && `, which ${namesOf(people)} can decide`}.
          </p>
          {isOwn && <DecideButton request={request} verb="Decide" />}
        </div>
      )}
      {isOpen && startRequestId !== undefined && (
        <div className="card">
          <CallDecision placeId="timeline-title" requestId={startRequestId} />
        </div>
      )}
    </>
  )
}

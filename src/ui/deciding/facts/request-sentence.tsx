import { Link } from 'react-router'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { requestedByProgram } from '#domain/requests/program-words.ts'
import { VisibleText } from '../../text/visible-text.tsx'
import { questionOf } from './question-of.ts'

/** The effect in the service's sentence; for a question or an outcome check, the question. */
export function RequestEffect({ request }: { request: RequestDetail }) {
  if (request.kind === 'outcome_check') return <VisibleText text={request.title} />
  if (request.kind === 'question') return <VisibleText text={questionOf(request)} />
  return (
    <strong className="effect">
      <VisibleText text={request.effect} />
    </strong>
  )
}

/**
 * Who requests it, or requested it if it has ended: the run with a link, its workspace and starter,
 * or the program and its owner.
 */
export function RequestSentence({ request }: { request: RequestDetail }) {
  const { external, invokedBy: byHand, kind } = request
  const isPending = request.state === 'pending'
  const [wants, asks] = isPending ? ['wants', 'asks'] : ['wanted', 'asked']
  if (external !== null) {
    return (
      <>
        <VisibleText text={requestedByProgram(external)} />
        {external.onBehalfOf !== null && ','} {wants} this
      </>
    )
  }
  if (kind === 'start') {
    const { by } = request.task ?? { by: null }
    const until = isPending ? ': it does nothing until then' : ''
    return `${by === null ? 'Nobody' : by.name} ${wants} it to begin${until}`
  }
  const worker = request.lineage.at(-1)?.worker ?? request.worker ?? 'Somebody'
  const run = request.runId === null ? worker : <Link to={`/runs/${request.runId}`}>{worker}</Link>
  const starter = request.lineage[0]?.startedBy?.name
  const folder = request.workspaceRoot?.split('/').filter(Boolean).at(-1)
  return (
    <>
      {kind === 'outcome_check' && `The service ${asks} it about a call of `}
      {byHand === null ? run : byHand.name}
      {kind !== 'outcome_check' &&
        (kind === 'question' ? ` ${asks} this question` : ` ${wants} this`)}
      {folder !== undefined && (
        <>
          {' '}
          in <code>{folder}</code>
        </>
      )}
      {byHand !== null && <>, by hand, in a run of {run}</>}
      {starter !== undefined && byHand === null && <>, started by {starter}</>}
      {request.outcomeOf !== null && (
        <>
          . <Link to={`/requests/${request.outcomeOf}`}>See the request that it checks</Link>
        </>
      )}
    </>
  )
}

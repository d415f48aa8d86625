import type { ExternalItemView } from '#api/schemas/requests/external-request.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { asInfinitive } from './as-infinitive.ts'
import { requestedByProgram } from './program-name.ts'

/** The request in one sentence: who wants what, where, asked by whom. */
export function RequestSentence({ request }: { request: RequestDetail }) {
  const worker = request.lineage.at(-1)?.worker ?? request.worker ?? 'Somebody'
  const byHand = request.invokedBy
  const { external } = request
  if (external !== null) return <ProgramsSentence request={request} external={external} />
  const who = byHand === null ? worker : byHand.name
  const starter = request.lineage[0]?.startedBy.name
  const folder = request.workspaceRoot?.split('/').filter(Boolean).at(-1)
  if (request.kind === 'outcome_check') {
    return (
      <>
        Did this happen? <VisibleText text={request.title} />
      </>
    )
  }
  if (request.kind === 'question') {
    return (
      <>
        {who} asks: <VisibleText text={request.title.replace(/^Ask: /, '')} />
      </>
    )
  }
  return (
    <>
      {who} wants to{' '}
      <strong className="effect">
        <VisibleText text={asInfinitive(request.title)} />
      </strong>
      {folder !== undefined && (
        <>
          {' '}
          in <code>{folder}</code>
        </>
      )}
      {byHand !== null && <>, by hand, in a run of {worker}</>}
      {starter !== undefined && byHand === null && <>, asked by {starter}</>}
    </>
  )
}

/** A program's request: whose program, and what for; where it works, nobody here knows. */
function ProgramsSentence(props: { request: RequestDetail; external: ExternalItemView }) {
  const { external, request } = props
  return (
    <>
      <VisibleText text={requestedByProgram(external)} /> wants to{' '}
      <strong className="effect">
        <VisibleText text={asInfinitive(request.title)} />
      </strong>
    </>
  )
}

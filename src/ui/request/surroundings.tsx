import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { requestHeadline } from '#domain/requests/request-headline.ts'
import { requestStateWord, requestStateWords } from '#domain/text/request-state-words.ts'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import { later } from '../states/later.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { verbs } from '../words/verbs.ts'
import { verdictWords } from '../words/verdict-words.ts'

const LastTurns = later(
  () => import('./last-turns.tsx').then((module) => module.LastTurns),
  () => <p className="dim">Loading the turns…</p>,
)

type Sibling = NonNullable<RequestDetail['batch']>['siblings'][number]

/** The other calls of the same turn and their states. */
export function Siblings({ request }: { request: RequestDetail }) {
  const { batch } = request
  if (batch === null || batch.siblings.length === 0) return null
  const stateWord = requestStateWord(request)
  const assumes = request.facts['assumes']
  const isOpen = [request, ...batch.siblings].some(({ state }) => state === 'pending')
  return (
    <section className="card" aria-labelledby="batch-title">
      <h2 id="batch-title">
        Call {batch.position} of {batch.size} in this turn
      </h2>
      {typeof assumes === 'number' && (
        <p className="small">
          Assumes call {assumes} of {batch.size}: shown as if that had been carried out before.
        </p>
      )}
      <ol className="plain-list batch">
        {batch.siblings.slice(0, batch.position - 1).map(row(0))}
        <li aria-current="true">
          <span className="dim">{batch.position}.</span>
          <span className="grow break">
            <strong>This call:</strong> <VisibleText text={requestHeadline(request)} />
          </span>
          <span className="dim small">
            {batch.finished ? `${stateWord}, has its result` : stateWord}
          </span>
        </li>
        {batch.siblings.slice(batch.position - 1).map(row(batch.position))}
      </ol>
      {request.runId !== null && request.turn !== null && (
        <p className="small">
          <TurnLink to={`/runs/${request.runId}/turns/${request.turn}`} isOpen={isOpen} />
        </p>
      )}
    </section>
  )
}

function TurnLink({ to, isOpen }: { to: string; isOpen: boolean }) {
  const navigate = useNavigate()
  useShortcut('turn', () => void navigate(to))
  return (
    <Link to={to} {...useAriaKeys('turn')}>
      {isOpen ? verbs.decideTurn : verbs.seeTurn}
    </Link>
  )
}

/**
 * The siblings in the model's order, with their numbers; `before` are the calls before this one.
 */
function row(before: number) {
  return function Row(sibling: Sibling, index: number) {
    const { requestId, title } = sibling
    return (
      <li key={sibling.callId}>
        <span className="dim">{before + index + 1}.</span>
        <span className="grow break">
          {requestId === null ? (
            <VisibleText text={title} />
          ) : (
            <Link to={`/requests/${requestId}`}>
              <VisibleText text={title} />
            </Link>
          )}
        </span>
        <span className="dim small">{stateText(sibling)}</span>
      </li>
    )
  }
}

function stateText({ state, verdict, finished }: Sibling): string {
  if (verdict === 'blocked') return 'blocked by policy'
  const verdictWord = verdict === null ? 'not judged yet' : verdictWords[verdict]
  const word = state === null ? verdictWord : requestStateWords[state]
  return finished ? `${word}, has its result` : word
}

/** The turns of the run before the request, loaded when they are opened. */
export function TurnsBefore({ request }: { request: RequestDetail }) {
  const [isOpen, setIsOpen] = useState(false)
  const { runId, turn } = request
  if (runId === null || turn === null) return null
  return (
    <details className="turns" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>The last turns</summary>
      {isOpen && <LastTurns runId={runId} turn={turn} />}
    </details>
  )
}

import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { countWords } from '#domain/text/quantities/count-words.ts'
import type { ChangeSet } from '#api/schemas/requests/change-set.ts'
import { changeSetQuery } from '../api/queries.ts'
import { DiffToolbar } from '../effect/diff-toolbar.tsx'
import { useShortcut } from '../keyboard/keyboard-provider.tsx'
import { AgentStatement } from '../request/agent-statement.tsx'
import { startComment } from '../deciding/comments/call-comments.tsx'
import { lastListAddress } from '../request/last-list.ts'
import { Headline } from '../shell/headline.tsx'
import { Failure } from '../states/failure.tsx'
import { LoadingCards } from '../states/loading.tsx'
import { Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { CallCard, type CardActs, type CardState } from './call-card.tsx'
import { choose, showCall, useCallFocus } from './call-focus.ts'
import { CallTree, type EntryMarks } from './call-tree.tsx'
import { drawnAtOnce, entriesOf, whyClosed, type ChangeEntry } from './change-entries.ts'
import { SubmitBar } from './submit-bar.tsx'
import { useCards } from './use-cards.ts'
import { useChangeSetDecisions } from './use-change-set-decisions.ts'
import '../request/request.css'
import '../deciding/card/card.css'
import '../deciding/decision/decision-panel.css'
import '../states/choices.css'
import './change-set.css'

/** The calls of one turn, which are read and decided together (product.md 40). */
export function ChangeSetPage() {
  const { id = '', n = '' } = useParams()
  const query = useQuery(changeSetQuery(id, n))
  if (query.data !== undefined) {
    return <Opened key={`${id} ${n}`} runId={id} turn={n} changeSet={query.data} />
  }
  if (query.isError) return <Failure query={query} isPage />
  return <LoadingCards what="the change set" layout="list" />
}

function Opened(props: { runId: string; turn: string; changeSet: ChangeSet }) {
  const { runId, turn, changeSet } = props
  const entries = useMemo(() => entriesOf(changeSet), [changeSet])
  const { stateOf, acts, record } = useCards(entries)
  const states = entries.map((entry) => ({ entry, state: stateOf(entry) }))
  const [atOnce] = useState(() => drawnAtOnce(entries))
  const laterOnes = useMemo(() => laterThan(entries), [entries])
  const decisions = useChangeSetDecisions(runId, turn, states, record)
  useChangeSetKeys(entries, acts, decisions.count === 0 ? null : () => void decisions.send())

  const approvals = entries.flatMap((entry) => entry.approval ?? [])
  const open = approvals.filter(({ request }) => whyClosed(request) === null)
  const statement = approvals[0]?.request.agentReason ?? null
  const hasDiffs = approvals.some(({ presentation }) => presentation.type === 'diff')
  return (
    <div className="change-set">
      <div className="column change-set-head">
        <div className="row small change-set-line">
          <Link to={`/runs/${runId}`}>The run</Link>
          <span className="dim">turn {turn}</span>
          {hasDiffs && <DiffToolbar />}
        </div>
        <Headline tab={`Turn ${turn}, ${countWords(entries.length, 'call')}`}>
          Turn {turn}: {entries.length === 1 ? 'one call' : `${entries.length} calls`}
          {approvals.length > 0 && `, ${open.length} of ${approvals.length} to decide`}
        </Headline>
        <Task task={changeSet.task} />
      </div>
      <CallTree
        entries={entries}
        marksOf={(entry) => marksOf(entry, stateOf(entry))}
        onGo={(entry) => showCall(entry.key)}
      />
      <div className="column change-calls">
        {entries.length === 0 && <p className="dim">The model made no call in this turn.</p>}
        {states.map(({ entry, state }) => (
          <CallCard
            key={entry.key}
            entry={entry}
            state={state}
            acts={acts}
            busy={decisions.busy}
            laterOnes={laterOnes.get(entry.position)?.join(', ') ?? ''}
            laterCount={laterOnes.get(entry.position)?.length ?? 0}
            isDrawnAtOnce={atOnce.has(entry.key)}
          />
        ))}
        {approvals.length > 0 && <AgentStatement text={statement} />}
      </div>
      {approvals.length > 0 && (
        <SubmitBar
          decisions={decisions}
          states={states.map(({ state }) => state)}
          hasOpen={open.length > 0}
          onShow={acts.onUnfold}
        />
      )}
    </div>
  )
}

/** The choice for a call, or how its request was decided: a vote alone is no decision. */
function marksOf(entry: ChangeEntry, { choice, result, wasViewed }: CardState): EntryMarks {
  const now = entry.approval?.request.state
  // Until the change set is loaded again, the answer is newer.
  const state = now === 'pending' && result?.item.status === 200 ? result.item.state : now
  if (state === 'approved') return { choice: 'approve', isDecided: true, wasViewed }
  if (state === 'denied') return { choice: 'deny', isDecided: true, wasViewed }
  return { choice, isDecided: false, wasViewed }
}

function useChangeSetKeys(
  entries: readonly ChangeEntry[],
  acts: CardActs,
  submit: (() => void) | null,
): void {
  const navigate = useNavigate()
  const { current, goToCall, goToFile } = useCallFocus(entries)
  useShortcut('next', () => goToCall(1))
  useShortcut('previous', () => goToCall(-1))
  useShortcut('nextFile', () => goToFile(1))
  useShortcut('previousFile', () => goToFile(-1))
  useShortcut('comment', () => startComment(document.getElementById(`call-${current()?.key}`)))
  useShortcut('viewed', () => {
    const entry = current()
    if (entry?.approval) acts.onView(entry.key)
  })
  useShortcut('approve', () => choose(current(), 'approve'))
  useShortcut('deny', () => choose(current(), 'deny'))
  useShortcut('submit', submit)
  useShortcut('back', () => void navigate(lastListAddress()))
}

function Task({ task }: { task: ChangeSet['task'] }) {
  if (task === null) return null
  return (
    <section className="card" aria-label="Task">
      <p className="small dim">
        Task from {task.by === null ? 'a program' : task.by.name}, <Time at={task.at} />
      </p>
      <blockquote className="statement">
        <VisibleText text={task.text} />
      </blockquote>
    </section>
  )
}

/** By the position of a call, the calls whose presentations assume its effect. */
function laterThan(entries: readonly ChangeEntry[]): ReadonlyMap<number, readonly string[]> {
  const laterOnes = new Map<number, readonly string[]>()
  for (const { approval, place } of entries) {
    const assumes = approval?.request.assumes ?? null
    if (assumes !== null) laterOnes.set(assumes, [...(laterOnes.get(assumes) ?? []), place])
  }
  return laterOnes
}

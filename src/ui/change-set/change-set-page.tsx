import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useRef } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import type { ChangeSet } from '#api/schemas/requests/change-set.ts'
import type { BulkDecision } from '#api/schemas/requests/decisions.ts'
import { countWords } from '#domain/text/count-words.ts'
import { callApi } from '../api/call-api.ts'
import { changeSetQuery } from '../api/queries.ts'
import { DiffToolbar } from '../effect/diff-toolbar.tsx'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import { useConnection } from '../live/live-provider.tsx'
import { AgentStatement } from '../request/agent-statement.tsx'
import { startComment } from '../deciding/comments/call-comments.tsx'
import { refusalWords } from '../deciding/decision/wording/refusal-words.ts'
import { useSubmit, type SubmitOptions } from '../deciding/decision/use-submit.ts'
import { lastListAddress } from '../request/last-list.ts'
import { Headline } from '../shell/headline.tsx'
import { announce } from '../states/announce.tsx'
import { Failure } from '../states/failure.tsx'
import { LoadingCards } from '../states/loading.tsx'
import { Notice } from '../states/notice.tsx'
import { clockTime, Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { CallCard, type CardState } from './call-card.tsx'
import { focusChoice, showCall, useCallFocus } from './call-focus.ts'
import { CallTree } from './call-tree.tsx'
import { entriesOf, whyClosed, type ChangeEntry } from './change-entries.ts'
import { planDecisions, type CallChoice } from './plan-decisions.ts'
import { useCards } from './use-cards.ts'
import { verbs } from '../words/verbs.ts'
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
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />
  return <LoadingCards what="the change set" layout="list" />
}

function Opened(props: { runId: string; turn: string; changeSet: ChangeSet }) {
  const { runId, turn, changeSet } = props
  const navigate = useNavigate()
  const offline = useConnection() === 'offline'
  const entries = useMemo(() => entriesOf(changeSet), [changeSet])
  const { stateOf, acts, record } = useCards(entries)
  const { submission, submit } = useSubmit(
    useCallback(
      (decisions: readonly BulkDecision[], { idempotencyKey }: SubmitOptions) =>
        callApi('decideRequests', {
          body: { turn: { runId, turn: Number(turn) }, decisions: [...decisions] },
          idempotencyKey,
        }),
      [runId, turn],
    ),
  )
  const busy = submission.state === 'submitting'
  const summary = useRef<HTMLParagraphElement>(null)
  const submitKeys = useAriaKeys('submit')
  const states = entries.map((entry) => ({ entry, state: stateOf(entry) }))
  const { decisions, obstacles } = planDecisions(
    states.flatMap(({ entry, state }) => {
      const { openedCall, choice, reason, seen, changed } = state
      if (openedCall === null || entry.approval === null) return []
      // It was decided elsewhere meanwhile, so there is nothing to send.
      const isOpen = whyClosed(entry.approval.request) === null
      return isOpen ? [{ request: openedCall.request, choice, reason, seen, changed }] : []
    }),
  )
  const send = async (): Promise<void> => {
    if (busy || offline || decisions.length === 0) return
    const answer = await submit(decisions)
    if (answer === null) return
    const choices = new Map(decisions.map((one) => [one.requestId, one.decision]))
    record(answer.items, (id) => choices.get(id) ?? 'leave')
    const recordedCount = answer.items.filter((item) => item.status === 200).length
    announce(`${recordedCount} of ${answer.items.length} recorded`)
    summary.current?.focus()
  }
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
  useShortcut('approve', () => focusChoice(current(), 'approve'))
  useShortcut('deny', () => focusChoice(current(), 'deny'))
  useShortcut('submit', decisions.length === 0 ? null : () => void send())
  useShortcut('back', () => void navigate(lastListAddress()))

  const contents = entries.flatMap((entry) => entry.approval ?? [])
  const open = contents.filter(({ request }) => whyClosed(request) === null)
  const statement = contents[0]?.request.agentReason ?? null
  const hasDiffs = contents.some(({ presentation }) => presentation.type === 'diff')
  return (
    <div className="change-set">
      <div className="column change-set-head">
        <div className="row small">
          <Link to={`/runs/${runId}`}>The run</Link>
          <span className="dim">turn {turn}</span>
        </div>
        <Headline tab={`Turn ${turn}, ${entries.length} calls`}>
          Turn {turn}: {entries.length === 1 ? 'one call' : `${entries.length} calls`}
          {contents.length > 0 && `, ${open.length} of ${contents.length} to decide`}
        </Headline>
        <Task task={changeSet.task} />
        {hasDiffs && <DiffToolbar />}
      </div>
      <CallTree
        entries={entries}
        marksOf={(entry) => stateOf(entry)}
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
            busy={busy}
            laterOnes={laterThan(entry, entries)}
          />
        ))}
        {contents.length > 0 && <AgentStatement text={statement} />}
      </div>
      {contents.length > 0 && (
        <div className="decide-bar change-set-bar" role="region" aria-label="Decisions">
          <div className="grow">
            <p ref={summary} tabIndex={-1} className="small" role="status">
              {summaryOf(states.map(({ state }) => state))}
            </p>
            {obstacles.map(({ request, why }) => (
              <p key={request.id} className="small soon">
                #{request.number} does not count yet: {why}{' '}
                <button type="button" className="link-button" onClick={() => showCall(request.id)}>
                  Show it
                </button>
              </p>
            ))}
            {offline && (
              <p role="alert" className="small">
                Offline: nothing can be decided until the service is back.
              </p>
            )}
            {submission.state === 'refused' && (
              <Notice
                tone="bad"
                title={refusalWords(submission.refusal, 'answer', clockTime).title}
              >
                {submission.refusal.message} Each decision counts once, even if it is sent twice.
              </Notice>
            )}
          </div>
          <Button
            disabled={busy || offline || decisions.length === 0}
            onClick={() => void send()}
            {...submitKeys}
          >
            {busy ? verbs.submitting : submitWords(decisions.length)}
          </Button>
        </div>
      )}
    </div>
  )
}

function submitWords(count: number): string {
  if (count === 0) return 'Submit decisions'
  return `Submit ${countWords(count, 'decision')}`
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

/** The calls whose presentations assume the effect of this one. */
function laterThan(entry: ChangeEntry, entries: readonly ChangeEntry[]): string[] {
  return entries
    .filter(({ approval: content }) => content?.request.assumes === entry.position)
    .map(({ place }) => place)
}

function summaryOf(states: readonly CardState[]): string {
  const count = (choice: CallChoice): number =>
    states.filter((state) => state.choice === choice).length
  const words = [
    count('approve') > 0 ? `${count('approve')} to approve` : '',
    count('deny') > 0 ? `${count('deny')} to deny` : '',
  ].filter(Boolean)
  const failures = states.filter(({ result }) => result !== null && result.item.status !== 200)
  const recorded = states.filter(({ result }) => result?.item.status === 200)
  const came = [
    recorded.length > 0 ? `${recorded.length} recorded` : '',
    failures.length > 0 ? `${failures.length} not recorded` : '',
  ].filter(Boolean)
  const choices = words.length === 0 ? 'Nothing chosen' : words.join(', ')
  return came.length === 0 ? `${choices}.` : `${came.join(', ')}. ${choices}.`
}

import { IconEye } from '@tabler/icons-react'
import { Link } from 'react-router'
import { againWords } from '#domain/deciding/alike-words.ts'
import { requestedByProgram } from '#domain/requests/program-words.ts'
import { useMe } from '../api/queries.ts'
import { CuesLine } from '../deciding/card/cues.tsx'
import { TaskLine } from '../deciding/card/task-line.tsx'
import { Moment } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { WorkerShape } from '../text/worker-shape.tsx'
import type { InboxRow } from './inbox-rows.ts'

/**
 * Further facts of a request, most important first. On one line, facts that do not fit are left out
 * from the end; on a wide list, common facts are in columns. A row in a group does not repeat the
 * task and the worker of its group, and a row beside the open request does not repeat the facts of
 * that request.
 */
export function RowFacts(
  props: Pick<InboxRow, 'item' | 'isGone'> & { isGrouped: boolean; isOpened: boolean },
) {
  const { item, isGone, isGrouped, isOpened } = props
  const warns = item.cues.some(({ level }) => level === 'warning')
  return (
    <div className="request-meta">
      <div className="row-signals">
        {!isOpened && item.snoozedUntil !== null && (
          <span>
            snoozed until <Moment at={item.snoozedUntil} />
          </span>
        )}
        {!isGone && !isOpened && <Urgent item={item} />}
        {!isOpened && warns && <CuesLine cues={item.cues} />}
        {!isOpened && <TriageState item={item} />}
        {item.batch !== null && item.batch.size > 1 && (
          <Link className="row-link" to={`/runs/${item.runId}/turns/${item.turn}`}>
            call {item.batch.position} of {item.batch.size}
          </Link>
        )}
        {!isGone && item.state === 'pending' && !item.eligibility.canDecide && !isOpened && (
          <span>not yours to decide</span>
        )}
        {!isOpened && !warns && <CuesLine cues={item.cues} />}
      </div>
      <div className="row-context">
        <span className={item.external === null ? 'row-task' : 'row-program'}>
          {!isGrouped && item.external === null && <TaskLine request={item} />}
          {item.external !== null && (
            <>
              requested by <VisibleText text={requestedByProgram(item.external)} />
            </>
          )}
        </span>
        <span className="row-worker">
          {!isGrouped && item.external === null && (
            <>
              <WorkerShape name={item.lineage.at(-1)?.worker ?? item.worker ?? ''} />
              {item.lineage.length > 0
                ? item.lineage.map((entry) => entry.worker).join(' › ')
                : item.worker}
            </>
          )}
        </span>
        <span className="row-number">#{item.number}</span>
      </div>
    </div>
  )
}

type Item = InboxRow['item']

/** The facts that make it urgent or dangerous. */
function Urgent({ item }: { item: Item }) {
  return (
    <>
      <Escalation item={item} />
      {item.askedBeforeRestore && (
        <span className="soon">opened before a restore: may have run</span>
      )}
      <RepetitionNote item={item} />
    </>
  )
}

/** Who works on it, and its progress. */
function TriageState({ item }: { item: Item }) {
  const me = useMe().person.id
  const pending = item.state === 'pending'
  const { claim, handedTo } = item
  return (
    <>
      {claim !== null && (
        <span className="claim">
          <IconEye size={13} aria-hidden />{' '}
          {claim.person.id === me ? 'you are on it' : `${claim.person.name} is on it`}
        </span>
      )}
      {pending && <QuorumProgress quorum={item.quorum} />}
      {handedTo !== null && pending && (
        <span>
          {handedTo.person.id === me
            ? 'handed over to you'
            : `handed over to ${handedTo.person.name}`}
        </span>
      )}
    </>
  )
}

/** The progress of a quorum of more than one: “1 of 2”. */
function QuorumProgress({ quorum }: { quorum: Item['quorum'] }) {
  const needed = quorum.required.reduce((sum, { count }) => sum + count, 0)
  if (needed < 2) return null
  return (
    <span>
      {quorum.counted.length} of {needed} decided
    </span>
  )
}

/** Whether the same call was carried out before, or is pending in another request. */
function RepetitionNote({ item: { alike, state } }: { item: Item }) {
  if (state !== 'pending') return null
  const againText = againWords(alike.again)
  if (againText !== null) return <span className="soon">{againText}</span>
  if (alike.same === 0) return null
  return <span title="Other requests of the same call">{alike.same} more alike</span>
}

/** The teams that an escalation added. */
function Escalation({ item }: { item: Item }) {
  const escalations = item.steps.filter((step) => step.kind === 'escalate' && step.takenAt !== null)
  if (item.state !== 'pending' || escalations.length === 0) return null
  const teams = [...new Set(escalations.flatMap((step) => step.addTeams))]
  return <span className="soon">escalated to {teams.join(', ')}</span>
}

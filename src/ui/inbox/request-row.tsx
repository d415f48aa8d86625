import { Checkbox } from '@mantine/core'
import { IconEye } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { Link } from 'react-router'
import { againWords } from '#domain/deciding/alike-words.ts'
import { requestQuery } from '../api/queries.ts'
import { requestedByProgram } from '../request/program-name.ts'
import { CuesLine } from '../request/card/cues.tsx'
import { TaskLine } from '../request/card/task.tsx'
import '../request/card/card.css'
import { Risk } from '../request/facts/risk.tsx'
import { outcomeWithEffect } from '../request/facts/state-words.ts'
import { relativeTime } from '../text/relative-time.ts'
import { Time, useNowMs } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import type { InboxRow } from './inbox-rows.ts'
import { useSteadyHeight } from './use-steady-height.ts'

/** From here on the time left is marked. */
const soonMs = 3_600_000

/** One request of the inbox: what would happen, for whom, and how long there is. */
export function RequestRow(props: {
  row: InboxRow
  selected: boolean
  onSelect: (selected: boolean) => void
}) {
  const { item, gone } = props.row
  const ref = useRef<HTMLLIElement>(null)
  const height = useSteadyHeight(ref, item, gone)
  const now = useNowMs()
  const starter = item.lineage[0]?.startedBy?.name
  const expires = relativeTime(Date.parse(item.expiresAt), now)
  const soon = item.state === 'pending' && Date.parse(item.expiresAt) - now < soonMs
  const name = [
    `${item.risk} risk`,
    item.effect,
    item.worker,
    gone ? 'no longer waiting' : `expires ${expires}`,
  ]
  return (
    <li
      ref={ref}
      className="request-row"
      data-gone={gone}
      data-request={item.id}
      data-steady={height !== null}
      style={height === null ? undefined : { height }}
    >
      {/* Its box is too small for a thumb, and beside it is the row's link. */}
      <label className="request-select" htmlFor={`select-${item.id}`}>
        <Checkbox
          id={`select-${item.id}`}
          aria-label={`Select request ${item.number}`}
          checked={props.selected}
          disabled={gone}
          onChange={(event) => props.onSelect(event.currentTarget.checked)}
        />
      </label>
      <Risk risk={item.risk} />
      <div className="request-what">
        <Link
          to={`/requests/${item.number}`}
          className="request-link"
          aria-label={name.filter(Boolean).join(', ')}
        >
          <VisibleText text={item.kind === 'question' ? item.title : item.effect} />
        </Link>
        <div className="request-meta">
          <TaskLine request={item} />
          <CuesLine cues={item.cues} />
          <span className="mono">
            <VisibleText text={item.tool} />
          </span>
          {item.external === null && (
            <span>
              {item.lineage.length > 0
                ? item.lineage.map((entry) => entry.worker).join(' › ')
                : item.worker}
            </span>
          )}
          {starter !== undefined && <span>asked by {starter}</span>}
          {item.external !== null && (
            <span>
              asked by <VisibleText text={requestedByProgram(item.external)} />
            </span>
          )}
          {item.batch !== null && item.batch.size > 1 && (
            <Link className="row-link" to={`/runs/${item.runId}/turns/${item.turn}`}>
              call {item.batch.position} of {item.batch.size}
            </Link>
          )}
          <span>#{item.number}</span>
          {item.state === 'pending' && <QuorumProgress quorum={item.quorum} />}
          {item.handedTo !== null && item.state === 'pending' && (
            <span>handed to {item.handedTo.person.name}</span>
          )}
          {item.snoozedUntil !== null && (
            <span>
              put off until <Time at={item.snoozedUntil} />
            </span>
          )}
          {!gone && <Escalation item={item} />}
          {!gone && item.askedBeforeRestore && (
            <span className="soon">asked before a restore: may have run</span>
          )}
          {!gone && <AskedBefore item={item} />}
          {item.claim !== null && (
            <span className="claim">
              <IconEye size={13} aria-hidden /> {item.claim.person.name} is on it
            </span>
          )}
          {!gone && item.state === 'pending' && !item.eligibility.canDecide && (
            <span title={item.eligibility.reason ?? undefined}>not yours to decide</span>
          )}
        </div>
      </div>
      <div className="request-times">
        {gone ? (
          <Outcome id={item.id} />
        ) : item.state === 'pending' ? (
          <>
            <span className={soon ? 'soon' : undefined}>
              expires <Time at={item.expiresAt} />
            </span>
            <span className="dim">
              opened <Time at={item.createdAt} />
            </span>
          </>
        ) : (
          <span>{outcomeWithEffect(item)}</span>
        )}
      </div>
    </li>
  )
}

/** How far a quorum of more than one has come: “1 of 2”. */
function QuorumProgress({ quorum }: { quorum: InboxRow['item']['quorum'] }) {
  const needed = quorum.required.reduce((sum, { count }) => sum + count, 0)
  if (needed < 2) return null
  return (
    <span>
      {quorum.counted.length} of {needed} decided
    </span>
  )
}

/** Whether the very call was carried out before, or waits elsewhere too. */
function AskedBefore({ item: { alike, state } }: { item: InboxRow['item'] }) {
  if (state !== 'pending') return null
  const repeated = againWords(alike.again)
  if (repeated !== null) return <span className="soon">{repeated}</span>
  if (alike.same === 0) return null
  return (
    <span>the same call was asked {alike.same === 1 ? 'once' : `${alike.same} times`} besides</span>
  )
}

/** Whom its queue has asked besides, since nobody decided. */
function Escalation({ item }: { item: InboxRow['item'] }) {
  const escalations = item.steps.filter((step) => step.kind === 'escalate' && step.takenAt !== null)
  if (item.state !== 'pending' || escalations.length === 0) return null
  const teams = [...new Set(escalations.flatMap((step) => step.addTeams))]
  return <span className="soon">escalated to {teams.join(', ')}</span>
}

/** Says what became of a row that left the list. */
function Outcome({ id }: { id: string }) {
  const { data } = useQuery(requestQuery(id))
  return (
    <span className="outcome">
      {data === undefined ? 'No longer waiting' : outcomeWithEffect(data)}
    </span>
  )
}

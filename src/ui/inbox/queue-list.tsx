import { NavLink, useSearchParams } from 'react-router'
import { useQueues } from '../api/queries.ts'
import { withFilter } from './inbox-filters.ts'

/** The queues with their counts: mine, all, each team's, and what expires soon. */
export function QueueList() {
  const [search] = useSearchParams()
  const { data } = useQueues()
  const queues = data?.items ?? []
  const sum = (of: (queue: (typeof queues)[number]) => number): number =>
    queues.reduce((total, queue) => total + of(queue), 0)
  const plain = new URLSearchParams()
  const mine = search.get('mine') === 'true'
  const chosen = search.get('queue')
  const snoozed = search.get('snoozed') === 'true'
  const expiring = search.get('sort') === 'expiresAt' && chosen === null && !mine && !snoozed
  const entries = [
    { name: 'Waiting for you', to: '/?mine=true', count: sum((queue) => queue.mine), on: mine },
    {
      name: 'All that wait',
      to: '/',
      count: sum((queue) => queue.pending),
      on: chosen === null && !mine && !snoozed && !expiring,
    },
    {
      name: 'Expiring first',
      to: '/?sort=expiresAt',
      count: sum((queue) => queue.expiringSoon),
      on: expiring,
    },
    { name: 'Put off by you', to: '/?snoozed=true', count: null, on: snoozed },
  ]
  return (
    <nav className="queues" aria-label="Queues">
      <ul>
        {entries.map((entry) => (
          <QueueEntry key={entry.to} {...entry} />
        ))}
      </ul>
      {queues.length > 0 && <h2 className="queues-title">Queues</h2>}
      <ul>
        {queues.map((queue) => (
          <QueueEntry
            key={queue.name}
            name={queue.name}
            note={queue.team === queue.name ? null : queue.team}
            to={withFilter(plain, 'queue', queue.name)}
            count={queue.pending}
            on={chosen === queue.name}
          />
        ))}
      </ul>
    </nav>
  )
}

function QueueEntry(props: {
  name: string
  note?: string | null
  to: string
  count: number | null
  on: boolean
}) {
  return (
    <li>
      <NavLink
        to={props.to}
        className={() => (props.on ? 'queue queue-on' : 'queue')}
        aria-current={props.on ? 'page' : undefined}
      >
        <span className="grow break">
          {props.name}
          {props.note && <span className="dim small"> · {props.note}</span>}
        </span>
        {props.count !== null && <span className="queue-count">{props.count}</span>}
      </NavLink>
    </li>
  )
}

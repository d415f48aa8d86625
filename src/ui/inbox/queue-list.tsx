import { NavLink, useSearchParams } from 'react-router'
import { useQueues } from '../api/queries.ts'
import { withFilter } from './inbox-filters.ts'

/** One list of the inbox: where it is, how much waits there, and whether it is on the screen. */
interface ListEntry {
  readonly name: string
  readonly note?: string | null
  readonly to: string
  readonly count: number | null
  readonly on: boolean
}

/** One list of the inbox: where it is, how much waits there, and whether it is on screen. */
export function useQueueEntries(): {
  readonly lists: readonly ListEntry[]
  readonly queues: readonly ListEntry[]
} {
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
  return {
    lists: [
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
    ],
    queues: queues.map((queue) => ({
      name: queue.name,
      note: queue.team === queue.name ? null : queue.team,
      to: withFilter(plain, 'queue', queue.name),
      count: queue.pending,
      on: chosen === queue.name,
    })),
  }
}

/** The lists of the inbox at the side. */
export function QueueList() {
  const { lists, queues } = useQueueEntries()
  return (
    <nav className="queues" aria-label="Queues">
      <ul>
        {lists.map((entry) => (
          <QueueEntry key={entry.to} {...entry} />
        ))}
      </ul>
      {queues.length > 0 && <h2 className="queues-title">Queues</h2>}
      <ul>
        {queues.map((entry) => (
          <QueueEntry key={entry.to} {...entry} />
        ))}
      </ul>
    </nav>
  )
}

function QueueEntry(props: ListEntry) {
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

import { NativeSelect } from '@mantine/core'
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router'
import { useQueues, useSavedViews } from '../api/queries.ts'
import { visibleString } from '../text/visible-string.ts'
import { RemoveView } from '../views/remove-view.tsx'
import { isNarrowed, isOfPending, viewQueryOf, withFilter } from './inbox-filters.ts'

/**
 * One list of the inbox: its address, its number of pending requests, and whether it is on the
 * screen.
 */
interface ListEntry {
  readonly name: string
  readonly note?: string | null
  readonly to: string
  readonly count: number | null
  readonly on: boolean
  /** id of a saved view, which can be removed */
  readonly viewId?: string
}

/** The lists of the inbox: queues, the person's own lists and saved views. */
function useQueueEntries(): {
  readonly lists: readonly ListEntry[]
  readonly queues: readonly ListEntry[]
  readonly views: readonly ListEntry[]
} {
  const [search] = useSearchParams()
  const { data } = useQueues()
  const queues = data?.items ?? []
  // Until the queues are loaded, the number of waiting requests is unknown.
  const sum = (of: (queue: (typeof queues)[number]) => number): number | null =>
    data === undefined ? null : queues.reduce((total, queue) => total + of(queue), 0)
  const view = viewQueryOf(search)
  const saved = useSavedViews('inbox')
  const isView = saved.some(({ query }) => query === view)
  const plain = new URLSearchParams()
  const mine = search.get('mine') === 'true'
  const queueName = search.get('queue')
  const snoozed = search.get('snoozed') === 'true'
  const pending = isOfPending(search)
  const expiring = search.get('sort') === 'expiresAt' && queueName === null && !mine && !snoozed
  return {
    lists: [
      {
        name: 'Waiting for you',
        to: '/?mine=true',
        count: sum((queue) => queue.mine),
        on: mine && pending && !isView,
      },
      {
        name: 'All that wait',
        to: '/',
        count: sum((queue) => queue.pending),
        on: pending && queueName === null && !mine && !snoozed && !expiring && !isView,
      },
      {
        name: 'Expiring first',
        to: '/?sort=expiresAt',
        // The number of requests whose deadline is near; null if there are none.
        count: sum((queue) => queue.expiringSoon) || null,
        on: expiring && pending && !isView,
      },
      { name: 'Snoozed by you', to: '/?snoozed=true', count: null, on: snoozed && !isView },
    ],
    queues: queues.map((queue) => ({
      name: queue.name,
      note: queue.team === queue.name ? null : queue.team,
      to: withFilter(plain, 'queue', queue.name),
      count: queue.pending,
      on: queueName === queue.name && pending && !isView,
    })),
    views: saved.map(({ id, name, query }) => ({
      name: visibleString(name),
      to: `/?${query}`,
      count: null,
      on: query === view,
      viewId: id,
    })),
  }
}

/** The lists of the inbox at the side. */
export function QueueList() {
  const { lists, queues, views } = useQueueEntries()
  return (
    <nav className="queues" aria-label="Queues">
      <ul>
        {lists.map((entry) => (
          <QueueEntry key={entry.to} {...entry} />
        ))}
      </ul>
      {views.length > 0 && <h2 className="queues-title">Your views</h2>}
      <ul>
        {views.map((entry) => (
          <QueueEntry key={entry.viewId} {...entry} />
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
    <li className={props.viewId === undefined ? undefined : 'queue-view'}>
      <Link
        to={props.to}
        className={props.on ? 'queue queue-on' : 'queue'}
        aria-current={props.on ? 'page' : undefined}
      >
        <span className="grow break">
          {props.name}
          {props.note && (
            <>
              {' '}
              <span className="dim small queue-note">· {props.note}</span>
            </>
          )}
        </span>
        {props.count !== null && <span className="queue-count">{props.count}</span>}
      </Link>
      {props.viewId !== undefined && <RemoveView id={props.viewId} name={props.name} />}
    </li>
  )
}

/** A selection of the lists of the inbox beside an open request, which stays open. */
export function QueueSelect() {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const [search] = useSearchParams()
  const { lists, queues, views } = useQueueEntries()
  const entries = [...lists, ...views, ...queues]
  const current = entries.find(({ on }) => on)
  // The count of a list does not take its filters into account.
  const narrowed = isNarrowed(search)
  const value = current?.to ?? `/?${search.toString()}`
  return (
    <NativeSelect
      aria-label="List"
      className="queue-select"
      value={value}
      onChange={(event) =>
        void navigate(pathname + event.currentTarget.value.slice(1), { replace: true })
      }
    >
      {current === undefined && <option value={value}>Filtered</option>}
      {entries.map(({ to, name, count, on }) => (
        <option key={to} value={to}>
          {count === null ? name : on && narrowed ? `${name}, filtered` : `${name} (${count})`}
        </option>
      ))}
    </NativeSelect>
  )
}

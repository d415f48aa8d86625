import { NativeSelect } from '@mantine/core'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { useQueueEntries } from './queue-list.tsx'

/** A selection of the lists of the inbox beside an open request, which stays open. */
export function QueueSelect() {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const [search] = useSearchParams()
  const { lists, queues, views } = useQueueEntries()
  const entries = [...lists, ...views, ...queues]
  const current = entries.find(({ on }) => on)
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
      {entries.map(({ to, name, count }) => (
        <option key={to} value={to}>
          {count === null ? name : `${name} (${count})`}
        </option>
      ))}
    </NativeSelect>
  )
}

import { IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { callApi } from '../api/call-api.ts'
import { useMe } from '../api/queries.ts'
import { announce } from '../states/announce.tsx'
import { currentSearch } from '../shell/current-search.ts'
import { timeIn } from '../text/time-in.ts'
import { visibleString } from '../text/visible-string.ts'
import { filterControls, withFilter, type FilterName } from './inbox-filters.ts'

/**
 * The filters without a visible control, above the list: each is named, and a press clears it.
 * `withControls`: the list has the page to itself, and shows the controls of the others.
 */
export function FilterChips({ withControls }: { withControls: boolean }) {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const list = useRef<HTMLUListElement>(null)
  const clearedAt = useRef<number | null>(null)
  // The chip that is cleared had the focus. Its neighbour gets the focus after the headline of the
  // new address has taken it. Without a neighbour the headline keeps it.
  useEffect(() => {
    const left = [...(list.current?.querySelectorAll('button') ?? [])]
    const next = clearedAt.current === null ? undefined : (left[clearedAt.current] ?? left.at(-1))
    clearedAt.current = null
    next?.focus({ preventScroll: true })
  }, [search])
  const voter = useVoter(search.get('decidedBy'))
  const chips = [...(withControls ? [] : chipsOfControls(search)), ...chipsOfLinks(search, voter)]
  if (chips.length === 0) return null
  const clear = (name: FilterName, words: string, at: number): void => {
    announce(`Cleared: ${words}`)
    clearedAt.current = at
    void navigate(withFilter(currentSearch(), name, '', pathname), { replace: true })
  }
  return (
    <ul ref={list} className="filter-chips" aria-label="Filters">
      {chips.map(({ name, words }, at) => (
        <li key={name}>
          <button
            type="button"
            className="filter-chip small"
            aria-label={`Clear the filter: ${words}`}
            onClick={() => clear(name, words, at)}
          >
            <span className="filter-chip-words">{words}</span>
            <IconX size={14} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}

interface Chip {
  readonly name: FilterName
  readonly words: string
}

/** The filters that have a control on the page of the list. */
function chipsOfControls(search: URLSearchParams): Chip[] {
  const chips = (['state', 'risk', 'sort'] as const).flatMap((name): Chip[] => {
    const value = search.get(name)
    const options: readonly { value: string; label: string }[] = filterControls[name]
    const option = options.find((one) => one.value === value)
    return option === undefined || value === '' ? [] : [{ name, words: option.label }]
  })
  const q = search.get('q') ?? ''
  return q === '' ? chips : [...chips, { name: 'q', words: `“${visibleString(q)}”` }]
}

/** The filters that have no control, because a link of another page set them. */
function chipsOfLinks(search: URLSearchParams, voter: string): Chip[] {
  const chips: Chip[] = []
  const add = (name: FilterName, write: (value: string) => string): void => {
    const value = search.get(name)
    if (value !== null) chips.push({ name, words: visibleString(write(value)) })
  }
  add('tool', (tool) => `tool ${tool}`)
  add('rule', (rule) => `rule ${rule}`)
  add('worker', (worker) => (worker === '' ? 'programs without a worker' : `worker ${worker}`))
  add('runId', (run) => `run ${run}`)
  add('decidedBy', () => `decided by ${voter}`)
  add('decision', (decision) => (decision === 'deny' ? 'with a denial' : 'with an approval'))
  add('effect', (effect) => (effect === 'failed' ? 'execution failed' : 'carried out'))
  add('decided', () => 'approved or denied')
  add('unseen', () => 'expired before anybody reacted')
  add('grantsUsed', () => 'whose approval let later calls run')
  add('from', (from) => `opened from ${timeIn(from)}`)
  add('to', (to) => `opened before ${timeIn(to)}`)
  return chips
}

/** The name of the person with this id, for a list of what they decided. */
function useVoter(id: string | null): string {
  const { person } = useMe()
  const isOther = id !== null && id !== person.id
  const named = useQuery({
    queryKey: ['person', id],
    queryFn: ({ signal }) => callApi('listPeople', { query: { id: id ?? '' }, signal }),
    enabled: isOther,
  })
  if (!isOther) return 'you'
  return named.isPending ? '…' : (named.data?.items[0]?.name ?? 'somebody who is not here')
}

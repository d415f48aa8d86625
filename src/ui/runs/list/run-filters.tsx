import { withCapital } from '#domain/text/readable-name.ts'
import { Button, NativeSelect } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useId, useLayoutEffect, useRef, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import type { Run } from '#api/schemas/runs/runs.ts'
import { useWorkers } from '../../api/queries.ts'
import { useAriaKeys, useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { Headline } from '../../shell/headline.tsx'
import { currentSearch } from '../../shell/current-search.ts'
import { FiltersButton } from '../../states/filters-button.tsx'
import { phoneUntil, useMedia } from '../../states/use-media.ts'
import { timeIn } from '../../text/time-in.ts'
import { verbs } from '../../words/verbs.ts'
import { runStateWords } from '../run-state.tsx'

const filterNames = ['state', 'worker', 'startedBy', 'activeFrom', 'activeTo'] as const

/** A run that waits for an answer is in the same state as one that waits for approval. */
const filterWords = { ...runStateWords, waiting_for_approval: 'waits for people' }

/** The filters of the list that the address names. */
export function runFilters(search: URLSearchParams): URLSearchParams {
  return new URLSearchParams(
    filterNames.flatMap((name): [string, string][] => {
      const value = search.get(name) ?? ''
      return value === '' ? [] : [[name, value]]
    }),
  )
}

/**
 * The head of the list of runs: the button of a new run, and the filters, which are in the address.
 * On a phone the filters unfold below, so that the first rows are on the screen.
 */
export function RunsHead({ runs }: { runs: readonly Run[] }) {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const isPhone = useMedia(phoneUntil)
  const [unfolded, setUnfolded] = useState<'by hand' | 'by key' | null>(null)
  const id = useId()
  // Once they are unfolded, the filters handle the key.
  const isFolded = isPhone && unfolded === null
  useShortcut('filter', isFolded ? () => setUnfolded('by key') : null)
  return (
    <>
      <div className="page-head">
        <Headline tab="Runs">Runs</Headline>
        <div className="row">
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => void navigate('/runs/new')}
          >
            {verbs.newRun}
          </Button>
          {isPhone ? (
            <FiltersButton
              isSet={runFilters(search).size > 0}
              isUnfolded={unfolded !== null}
              controls={id}
              onToggle={() => setUnfolded(unfolded === null ? 'by hand' : null)}
            />
          ) : (
            <Filters runs={runs} takesFocus={false} />
          )}
        </div>
      </div>
      {isPhone && (
        <div id={id} className="runs-filters">
          {unfolded !== null && <Filters runs={runs} takesFocus={unfolded === 'by key'} />}
        </div>
      )}
      <ActiveWords />
    </>
  )
}

/** The period of a link from Insights, which has no control here, and a link that removes it. */
function ActiveWords() {
  const [search] = useSearchParams()
  const [from, to] = [search.get('activeFrom'), search.get('activeTo')]
  if (from === null && to === null) return null
  const all = new URLSearchParams(search)
  for (const name of ['activeFrom', 'activeTo']) all.delete(name)
  return (
    <p className="runs-active dim small">
      Only: with a step of the model{from !== null && ` from ${timeIn(from)}`}
      {to !== null && ` before ${timeIn(to)}`}. <Link to={`/runs?${all}`}>At any time</Link>
    </p>
  )
}

function Filters({ runs, takesFocus }: { runs: readonly Run[]; takesFocus: boolean }) {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const workers = useWorkers()
  const first = useRef<HTMLSelectElement>(null)
  useShortcut('filter', () => first.current?.focus())
  useLayoutEffect(() => {
    if (takesFocus) first.current?.focus()
  }, [takesFocus])
  const keys = useAriaKeys('filter')
  const startedBy = search.get('startedBy') ?? ''
  const set = (name: string, value: string): void => {
    const next = currentSearch()
    if (value === '') next.delete(name)
    else next.set(name, value)
    void navigate(`/runs?${next.toString()}`, { replace: true })
  }
  return (
    <>
      <NativeSelect
        ref={first}
        {...keys}
        aria-label="State"
        value={search.get('state') ?? ''}
        onChange={(event) => set('state', event.currentTarget.value)}
        data={[
          { value: '', label: 'Any state' },
          ...Object.entries(filterWords).map(([value, words]) => ({
            value,
            // As the badge of a run shows it.
            label: withCapital(words),
          })),
        ]}
      />
      <NativeSelect
        aria-label="Worker"
        value={search.get('worker') ?? ''}
        onChange={(event) => set('worker', event.currentTarget.value)}
        data={[
          { value: '', label: 'Any worker' },
          ...(workers.data?.items.map((worker) => worker.name) ?? []),
        ]}
      />
      <NativeSelect
        aria-label="Started by"
        value={startedBy}
        onChange={(event) => set('startedBy', event.currentTarget.value)}
        data={[
          { value: '', label: 'Started by anybody' },
          { value: 'me', label: 'Started by me' },
          ...namedStarter(startedBy, runs),
        ]}
      />
    </>
  )
}

/** The name of a person whom the address names by id or e-mail address. */
function namedStarter(startedBy: string, runs: readonly Run[]) {
  if (startedBy === '' || startedBy === 'me') return []
  const [first] = runs
  return [{ value: startedBy, label: `Started by ${first?.startedBy?.name ?? startedBy}` }]
}

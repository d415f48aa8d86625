import { Drawer } from '@mantine/core'
import { useState } from 'react'
import { requestOf } from '#client/call.ts'
import { useAudit, useMe } from '../api/queries.ts'
import { Headline } from '../shell/headline.tsx'
import { useRowKeys } from '../keyboard/use-row-keys.ts'
import { currentSearch } from '../shell/current-search.ts'
import { later } from '../states/later.tsx'
import { Loading } from '../states/loading.tsx'
import { SaveButton } from '../states/save-button.tsx'
import { Together } from '../states/together.tsx'
import { ShowMore } from '../states/show-more.tsx'
import { AuditEvents } from './audit-events.tsx'
import { AuditFilters } from './audit-filters.tsx'
import { eventWords } from './event-words.ts'
import { eventsOfPages, type EventFields } from './event-line.tsx'
import { SavedExports } from './saved-exports.tsx'
import { SaveView } from '../views/save-view.tsx'
import { SignedLine } from './signed-line.tsx'
import './audit.css'
import { useNavigate, useSearchParams } from 'react-router'

const EventDetail = later(
  () => import('./event-detail.tsx').then((module) => module.EventDetail),
  () => <Loading what="the record" lines={6} />,
)

/** The trail: all events that the person may see, newest first, each with its exact record. */
export function AuditPage() {
  const { search, query, setAll, clear } = useAuditSearch()
  const [open, setOpen] = useState<EventFields | null>(null)
  const readsAll = useMe().person.rights.includes('readAudit')
  const audit = useAudit(query.toString())
  useRowKeys('.audit-open')
  const events = eventsOfPages(audit.data?.pages)
  // The events of one request alone are shown as its history; not those of the previous filters,
  // which stay on the page until the new ones are loaded.
  const requestOfHistory =
    query.size === 1 && !audit.isPlaceholderData ? query.get('requestId') : null
  const confirmed = requestOfHistory === null ? undefined : events.at(-1)?.about?.requests[0]
  const isNarrowed = query.size > 0
  return (
    <>
      <AuditHead query={query} readsAll={readsAll} />
      <AuditFilters
        search={search}
        set={(name, value) => setAll({ [name]: value })}
        setAll={setAll}
        clear={clear}
        numbers={numbersOf(events)}
        isNarrowed={isNarrowed}
      />
      <Together what="the trail" layout="rows">
        <SavedExports query={query.toString()} readsAll={readsAll} />
        <SignedLine readsAll={readsAll} request={confirmed?.number ?? null} />
        {!readsAll && (
          <p className="dim small audit-part">
            These are the events of requests that you may see. The whole trail needs the right
            readAudit, which countersign.yaml gives.
          </p>
        )}
        <div className="answer" aria-busy={audit.isPlaceholderData}>
          <AuditEvents
            {...{ audit, events, requestOfHistory, isNarrowed, readsAll }}
            onOpen={setOpen}
          />
          <ShowMore list={audit} />
        </div>
      </Together>
      <Drawer
        opened={open !== null}
        onClose={() => setOpen(null)}
        position="right"
        size="lg"
        title={open === null ? '' : eventWords(open.event.type)}
      >
        {open !== null && (
          <EventDetail {...open} readsAll={readsAll} onLeave={() => setOpen(null)} />
        )}
      </Drawer>
    </>
  )
}

function AuditHead({ query, readsAll }: { query: URLSearchParams; readsAll: boolean }) {
  return (
    <div className="page-head">
      <Headline tab="Audit">Audit</Headline>
      <div className="row">
        <SaveView page="audit" query={query.toString()} label="Save these filters" />
        {readsAll && (
          <SaveButton
            size="sm"
            variant="default"
            request={requestOf('exportAudit', {
              query: { ...Object.fromEntries(query), format: 'jsonl' },
            })}
          >
            Export
          </SaveButton>
        )}
      </div>
    </div>
  )
}

/** The numbers of the requests and runs that the events are about, by their ids. */
function numbersOf(events: readonly EventFields[]): ReadonlyMap<string, string> {
  const objects = events.flatMap(({ about }) => [
    ...(about?.requests ?? []),
    ...(about?.runs ?? []),
  ])
  return new Map(objects.map(({ id, number }) => [id, String(number)]))
}

/** The parameters of the address that are filters of the API. */
const names = [
  'q',
  'type',
  'actor',
  'requestId',
  'runId',
  'from',
  'to',
  'outside',
  'timeZone',
] as const

/** The filters of the trail, which are in the address. */
function useAuditSearch() {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const query = new URLSearchParams()
  for (const name of names) if (search.get(name)) query.set(name, search.get(name) ?? '')
  return {
    search,
    /** the filters that are set, as the API reads them */
    query,
    setAll(values: Readonly<Record<string, string>>): void {
      const next = currentSearch()
      for (const [name, value] of Object.entries(values)) {
        if (value.trim() === '') next.delete(name)
        else next.set(name, value.trim())
      }
      void navigate(`/audit?${next.toString()}`, { replace: true })
    },
    clear: () => void navigate('/audit'),
  }
}

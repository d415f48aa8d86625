import { Drawer } from '@mantine/core'
import { useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { requestOf } from '#client/call.ts'
import { ApiRefusal } from '../api/call-api.ts'
import { useAudit, useMe } from '../api/queries.ts'
import { Headline } from '../shell/headline.tsx'
import { Failure } from '../states/failure.tsx'
import { LoadingRows } from '../states/loading.tsx'
import { Notice } from '../states/notice.tsx'
import { SaveButton } from '../states/save-button.tsx'
import { Together } from '../states/together.tsx'
import { ShowMore } from '../states/show-more.tsx'
import { AuditFilters } from './audit-filters.tsx'
import { AuditTable } from './audit-table.tsx'
import { EventDetail } from './event-detail.tsx'
import { eventWords } from './event-words.ts'
import { eventsOfPages, type EventFields } from './event-line.tsx'
import { SavedExports } from './saved-exports.tsx'
import { SaveView } from '../views/save-view.tsx'
import { SignedLine } from './signed-line.tsx'
import { EventHistory } from './event-history.tsx'
import './audit.css'

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

/** The numbers of the requests and runs that the events are about, by their ids. */
function numbersOf(events: readonly EventFields[]): ReadonlyMap<string, string> {
  const objects = events.flatMap(({ about }) => [
    ...(about?.requests ?? []),
    ...(about?.runs ?? []),
  ])
  return new Map(objects.map(({ id, number }) => [id, String(number)]))
}

/** The trail: all events that the person may see, newest first, each with its exact record. */
export function AuditPage() {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const me = useMe()
  const [open, setOpen] = useState<EventFields | null>(null)
  const query = new URLSearchParams()
  for (const name of names) if (search.get(name)) query.set(name, search.get(name) ?? '')
  const audit = useAudit(query.toString())
  const events = eventsOfPages(audit.data?.pages)
  const unreadable = (audit.data?.pages ?? []).reduce(
    (count, page) => count + (page.unreadable ?? 0),
    0,
  )
  const setAll = (values: Readonly<Record<string, string>>): void => {
    const next = new URLSearchParams(search)
    for (const [name, value] of Object.entries(values)) {
      if (value.trim() === '') next.delete(name)
      else next.set(name, value.trim())
    }
    void navigate(`/audit?${next.toString()}`, { replace: true })
  }
  // The API answers 404 for a request that does not exist or that the person may not see.
  const unknown = audit.error instanceof ApiRefusal && audit.error.status === 404
  // The events of one request alone are shown as its history.
  const requestOfHistory = query.size === 1 ? query.get('requestId') : null
  // Events of the previous filters stay on the page until the new ones are loaded.
  const confirmed =
    requestOfHistory === null || audit.isPlaceholderData
      ? undefined
      : events.at(-1)?.about?.requests[0]
  const readsAll = me.person.rights.includes('readAudit')
  return (
    <>
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
      <AuditFilters
        search={search}
        set={(name, value) => setAll({ [name]: value })}
        setAll={setAll}
        clear={() => void navigate('/audit')}
        numbers={numbersOf(events)}
        isNarrowed={query.size > 0}
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
        {audit.isPending && <LoadingRows what="the trail" />}
        {audit.isError && !unknown && (
          <Failure error={audit.error} retry={() => void audit.refetch()} />
        )}
        {(unknown || (audit.isSuccess && events.length === 0)) && (
          <div className="state">
            <h2>{query.size > 0 ? 'No event matches' : 'No events yet'}</h2>
            <p className="dim">
              {query.size > 0
                ? 'Nothing that you may see fits all of these filters.'
                : 'Events appear here as they are recorded.'}
            </p>
            {query.size > 0 && <Link to="/audit">Show all events</Link>}
          </div>
        )}
        {unreadable > 0 && (
          <Notice tone="bad" title={`Not events of the service: ${unreadable}`}>
            Something else wrote them to the database. An export has their texts.
          </Notice>
        )}
        {events.length > 0 && !unknown && requestOfHistory !== null && (
          <EventHistory
            request={requestOfHistory}
            events={events}
            readsAll={readsAll}
            onOpen={setOpen}
          />
        )}
        {events.length > 0 && !unknown && requestOfHistory === null && (
          <AuditTable events={events} onOpen={setOpen} />
        )}
        <ShowMore list={audit} />
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

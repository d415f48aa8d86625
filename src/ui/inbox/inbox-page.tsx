import { useQuery } from '@tanstack/react-query'
import { Suspense, useEffect } from 'react'
import { Outlet, useLocation, useMatch, useSearchParams } from 'react-router'
import { ApiRefusal } from '../api/call-api.ts'
import { requestQuery } from '../api/queries.ts'
import { Headline } from '../shell/headline.tsx'
import { LoadingCards } from '../states/loading.tsx'
import { PageBoundary } from '../states/page-boundary.tsx'
import { FilterWords } from './filter-words.tsx'
import { FoldedFilters } from './folded-filters.tsx'
import { useMedia } from '../states/use-media.ts'
import { addressOf, requestsQueryOf } from './inbox-filters.ts'
import { InboxToolbar } from './inbox-toolbar.tsx'
import { QueueList } from './queue-list.tsx'
import { QueueSelect } from './queue-select.tsx'
import { RequestListing } from './request-listing.tsx'
import { YouWaitFor } from './you-wait-for.tsx'
import './inbox.css'
import './request-row.css'
import './split.css'

/** From here on the list stays beside the card of a request (dashboard.md, Pages). */
const splitFrom = '(min-width: 1100px)'
/** Up to here lists and filters are folded. */
const phoneUntil = '(max-width: 48em)'

/**
 * What waits for a decision, and the card of the one that is open. The address is the request's,
 * with the list's filters, so that reloading and a copied link keep both. Below `splitFrom` there
 * is the one or the other.
 */
export function InboxPage() {
  const [search] = useSearchParams()
  const { pathname } = useLocation()
  const isWide = useMedia(splitFrom)
  const isPhone = useMedia(phoneUntil)
  const opened = useMatch('/requests/:id')?.params.id ?? null
  const request = useQuery({ ...requestQuery(opened ?? ''), enabled: opened !== null })
  // What there is not looks the same to everybody, whatever else they may see.
  const isMissing = request.error instanceof ApiRefusal && request.error.status === 404
  const isSplit = isWide && opened !== null && !isMissing
  const filters = requestsQueryOf(search)
  const title = titleOf(search)
  useEffect(() => {
    // Another card begins at its top; the list beside it stays where it is.
    if (isSplit) window.scrollTo({ top: 0 })
  }, [isSplit, opened])
  return (
    <div className={isSplit ? 'inbox-split' : opened === null ? 'inbox' : undefined}>
      {opened === null && !isPhone && <QueueList />}
      {(isSplit || opened === null) && (
        <div className="inbox-main">
          <div className="page-head">
            {isSplit ? <h2>{title}</h2> : <Headline tab={title}>{title}</Headline>}
          </div>
          {isSplit && <QueueSelect />}
          {isPhone ? <FoldedFilters /> : <InboxToolbar isNarrow={isSplit} takesFocus={false} />}
          <FilterWords />
          <RequestListing
            key={filters}
            filters={filters}
            address={addressOf(search)}
            opened={opened}
          />
          {!isSplit && <YouWaitFor />}
        </div>
      )}
      {opened !== null && (
        <div className="inbox-card">
          <PageBoundary key={pathname} what="This page">
            <Suspense fallback={<LoadingCards what="the request" />}>
              <Outlet />
            </Suspense>
          </PageBoundary>
        </div>
      )}
    </div>
  )
}

function titleOf(search: URLSearchParams): string {
  if (search.get('mine') === 'true') return 'Waiting for you'
  return search.get('queue') ?? 'Inbox'
}

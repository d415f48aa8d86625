import { useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, useId, useState } from 'react'
import { Outlet, useLocation, useMatch, useSearchParams } from 'react-router'
import { ApiRefusal } from '../api/call-api.ts'
import { requestQuery } from '../api/queries.ts'
import { Headline } from '../shell/headline.tsx'
import { LoadingCards } from '../states/loading.tsx'
import { PageBoundary } from '../states/page-boundary.tsx'
import { FilterChips } from './filter-chips.tsx'
import { phoneUntil, useMedia } from '../states/use-media.ts'
import { addressOf, isOfPending, requestsQueryOf, isNarrowed } from './inbox-filters.ts'
import { InboxLists } from './inbox-lists.tsx'
import { InboxToolbar } from './inbox-toolbar.tsx'
import { QueueList, QueueSelect } from './queue-list.tsx'
import { RequestListing } from './request-listing.tsx'
import './inbox.css'
import './request-row.css'
import './split.css'
import { useShortcut } from '../keyboard/keyboard-provider.tsx'
import { FiltersButton } from '../states/filters-button.tsx'

/**
 * From 1,100 px at the usual size of text, the list stays beside the open request (dashboard.md,
 * Pages). A width in `em` grows with the reader's text: at 200 % both would be too narrow to read.
 */
const splitFrom = '(min-width: 68.75em)'

/**
 * The list of requests, and the open request. The address is that of the request with the filters
 * of the list, so that a reload and a copied link keep both. Below `splitFrom` only one of them is
 * shown.
 */
export function InboxPage() {
  const [search] = useSearchParams()
  const { pathname } = useLocation()
  const isWide = useMedia(splitFrom)
  const isPhone = useMedia(phoneUntil)
  const openId = useMatch('/requests/:id')?.params.id ?? null
  const request = useQuery({ ...requestQuery(openId ?? ''), enabled: openId !== null })
  // The API answers 404 for a request that does not exist or that the person may not see.
  const isMissing = request.error instanceof ApiRefusal && request.error.status === 404
  const isSplit = isWide && openId !== null && !isMissing
  const filters = requestsQueryOf(search)
  const title = titleOf(search)
  const listing = <RequestListing filters={filters} address={addressOf(search)} openId={openId} />
  useEffect(() => {
    // A newly opened request begins at its top; the list beside it does not scroll.
    if (isSplit) window.scrollTo({ top: 0 })
  }, [isSplit, openId])
  return (
    <div className={isSplit ? 'inbox-split' : openId === null ? 'inbox' : undefined}>
      {openId === null && !isPhone && <QueueList />}
      {(isSplit || openId === null) && (
        <div className="inbox-main">
          <div className="page-head">
            {isSplit ? <h2>{title}</h2> : <Headline tab={title}>{title}</Headline>}
          </div>
          {isSplit && <QueueSelect />}
          {isPhone ? <FoldedFilters /> : <InboxToolbar isNarrow={isSplit} takesFocus={false} />}
          <FilterChips withControls={!isSplit && !isPhone} />
          <InboxLists key={filters} filters={filters} isBeside={isSplit} listing={listing} />
        </div>
      )}
      {openId !== null && (
        <div className="inbox-card">
          <PageBoundary key={pathname} what="This page">
            <Suspense fallback={<LoadingCards what="the request" layout="beside" />}>
              <Outlet />
            </Suspense>
          </PageBoundary>
        </div>
      )}
    </div>
  )
}

function titleOf(search: URLSearchParams): string {
  if (search.get('mine') === 'true' && isOfPending(search)) return 'Waiting for you'
  if (search.get('snoozed') === 'true') return 'Snoozed by you'
  return search.get('queue') ?? 'Inbox'
}

/**
 * The lists and filters on one line for phones, so that the rows begin near the top. The filters
 * that are set and the saved views unfold below.
 */
function FoldedFilters() {
  const [search] = useSearchParams()
  const [unfolded, setUnfolded] = useState<'by hand' | 'by key' | null>(null)
  const id = useId()
  const isSet = isNarrowed(search) || search.has('sort')
  // Once unfolded, the toolbar handles the key.
  useShortcut('filter', unfolded === null ? () => setUnfolded('by key') : null)
  return (
    <>
      <div className="folded-filters">
        <QueueSelect />
        <FiltersButton
          isSet={isSet}
          isUnfolded={unfolded !== null}
          controls={id}
          onToggle={() => setUnfolded(unfolded === null ? 'by hand' : null)}
        />
      </div>
      <div id={id}>
        {unfolded !== null && (
          <>
            <QueueList />
            <InboxToolbar isNarrow={false} takesFocus={unfolded === 'by key'} />
          </>
        )}
      </div>
    </>
  )
}

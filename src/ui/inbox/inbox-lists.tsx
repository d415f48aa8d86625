import { useState, type ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { useQueues, useRequests } from '../api/queries.ts'
import { LoadingRows } from '../states/loading.tsx'
import { useNowMs } from '../text/time.tsx'
import { isNarrowed } from './inbox-filters.ts'
import { placeOfOwn, useOwnWaiting } from './own-waiting.ts'
import { OwnWaitingRequests, ownWaitingTitle } from './own-waiting-requests.tsx'

/**
 * The list of requests, and the list of what the person waits for. Their order is decided when they
 * are shown, and stays until the person leaves the page and returns, so that nothing moves under
 * the pointer. `isBeside`: the list is beside an open request, alone.
 */
export function InboxLists(props: { filters: string; isBeside: boolean; listing: ReactNode }) {
  const { filters, isBeside, listing } = props
  const [search] = useSearchParams()
  const queues = useQueues()
  const own = useOwnWaiting()
  const list = useRequests(filters)
  const nowMs = useNowMs()
  const [place, setPlace] = useState<ReturnType<typeof placeOfOwn> | null>(null)
  const [isDrawn, setIsDrawn] = useState(false)
  const isKnown = !queues.isPending && !own.isPending && !list.isPending
  if (isBeside && place !== null) setPlace(null)
  if (!isBeside && place === null && (isKnown || isDrawn)) {
    const mine = queues.data?.items.reduce((sum, queue) => sum + queue.mine, 0) ?? 0
    const rows = list.data?.pages[0]?.items.length ?? 0
    setPlace(placeOfOwn({ entries: own.entries, mine, rows, nowMs }))
  }
  // Once drawn, the list stays: it has the focus and the selection.
  const isShown = isBeside || isDrawn || place !== null
  if (isShown && !isDrawn) setIsDrawn(true)
  if (!isShown) return <LoadingRows what="the requests" />
  const first = place?.first === true
  const hidesOwn = isBeside || isNarrowed(search) || search.has('snoozed')
  const ownRequests = !hidesOwn && <OwnWaitingRequests isFirst={first} />
  return (
    <>
      {first && ownRequests}
      {place?.hasLine === true && ownRequests !== false && <OwnLine count={own.entries.length} />}
      {listing}
      {place?.first === false && ownRequests}
    </>
  )
}

/** Leads past the requests to what the person waits for. */
function OwnLine({ count }: { count: number }) {
  const jump = (): void => {
    const title = document.getElementById(ownWaitingTitle)
    title?.scrollIntoView({ block: 'center' })
    title?.focus({ preventScroll: true })
  }
  return (
    <p className="own-line small">
      <button type="button" className="link-button" disabled={count === 0} onClick={jump}>
        {count === 1 ? 'You wait for a decision' : `You wait for ${count} decisions`}
      </button>
    </p>
  )
}

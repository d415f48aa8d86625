import { Button } from '@mantine/core'
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useRequests } from '../api/queries.ts'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import { announce } from '../states/announce.tsx'
import { Headline } from '../shell/headline.tsx'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { EmptyInbox } from './empty-inbox.tsx'
import { requestsQueryOf } from './inbox-filters.ts'
import { InboxToolbar } from './inbox-toolbar.tsx'
import { rememberList } from '../request/last-list.ts'
import { QueueList } from './queue-list.tsx'
import { RequestRow } from './request-row.tsx'
import { YouWaitFor } from './you-wait-for.tsx'
import { useSteadyRows } from './use-steady-rows.ts'
import { useRowFocus } from './use-row-focus.ts'
import './inbox.css'

const BulkReview = lazy(() =>
  import('./bulk-review.tsx').then((module) => ({ default: module.BulkReview })),
)

/** What waits for a decision. Another filter is another list, with a state of its own. */
export function InboxPage() {
  const [search] = useSearchParams()
  const filters = requestsQueryOf(search)
  const title = titleOf(search)
  return (
    <div className="inbox">
      <QueueList />
      <div className="inbox-main">
        <div className="page-head">
          <Headline tab={title}>{title}</Headline>
        </div>
        <InboxToolbar />
        <RequestListing key={filters} filters={filters} address={addressOf(search)} />
        <YouWaitFor />
      </div>
    </div>
  )
}

function RequestListing({ filters, address }: { filters: string; address: string }) {
  const list = useRequests(filters)
  const { data, hasNextPage: hasMore } = list
  const fresh = useMemo(
    () => data && { items: data.pages.flatMap((page) => page.items), hasMore },
    [data, hasMore],
  )
  const { rows, waiting: newItems, cause, showFresh } = useSteadyRows(fresh)
  const gone = rows.filter((row) => row.gone).length
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [bulk, setBulk] = useState<'approve' | 'deny' | null>(null)
  const container = useRef<HTMLOListElement>(null)
  const showNewKeys = useAriaKeys('showNew')

  const select = (id: string, on: boolean): void =>
    setSelected((before) => {
      const next = new Set(before)
      if (on) next.add(id)
      else next.delete(id)
      return next
    })
  const keepFocus = useRowFocus(container, (id) => select(id, !selected.has(id)))
  const waiting = waitingWords(newItems.length, gone)
  const show = (): void => {
    announce(`${newItems.length} new shown`)
    keepFocus(showFresh)
  }
  useShortcut('showNew', waiting === null ? null : show)
  useShortcut('back', selected.size > 0 ? () => setSelected(new Set()) : null)
  useEffect(() => {
    const open = rows.filter((row) => !row.gone && row.item.state === 'pending')
    rememberList({ address, numbers: open.map((row) => row.item.number) })
  }, [rows, address])

  const chosen = rows.filter((row) => selected.has(row.item.id) && !row.gone).map((row) => row.item)
  if (list.isPending) return <Loading what="the requests" lines={6} />
  if (list.isError && fresh === undefined) {
    return <Failure error={list.error} retry={() => void list.refetch()} />
  }
  return (
    <>
      {waiting !== null && (
        <Button className="held-bar" variant="light" size="xs" onClick={show} {...showNewKeys}>
          {waiting}
        </Button>
      )}
      {rows.length === 0 ? (
        <EmptyInbox />
      ) : (
        <ol ref={container} className="request-list" aria-label="Requests">
          {rows.map((row) => (
            <RequestRow
              key={row.item.id}
              row={row}
              selected={selected.has(row.item.id)}
              onSelect={(on) => select(row.item.id, on)}
            />
          ))}
        </ol>
      )}
      {list.hasNextPage && (
        <Button
          variant="default"
          mt="md"
          loading={list.isFetchingNextPage}
          onClick={() =>
            void list.fetchNextPage().then((result) => {
              cause('requested', result.data?.pages.at(-1)?.items.map((item) => item.id) ?? [])
            })
          }
        >
          Show more
        </Button>
      )}
      {chosen.length > 0 && (
        <div className="bulk-bar" role="region" aria-label="Selected requests">
          <strong>{chosen.length} selected</strong>
          <Button variant="subtle" color="gray" onClick={() => setSelected(new Set())}>
            Clear
          </Button>
          <span className="grow" />
          <Button variant="default" onClick={() => setBulk('deny')}>
            Deny {chosen.length}…
          </Button>
          <Button variant="default" onClick={() => setBulk('approve')}>
            Approve {chosen.length}…
          </Button>
        </div>
      )}
      <Suspense fallback={null}>
        {bulk !== null && (
          <BulkReview
            decision={bulk}
            selected={chosen}
            onClose={(decided) => {
              setBulk(null)
              if (!decided) return
              cause(
                'decided',
                chosen.map((item) => item.id),
              )
              setSelected(new Set())
            }}
          />
        )}
      </Suspense>
    </>
  )
}

/** What the list does not show yet: `2 new`, `1 gone`, `2 new, 1 gone`. */
function waitingWords(added: number, gone: number): string | null {
  const words = [added > 0 ? `${added} new` : '', gone > 0 ? `${gone} gone` : '']
  return words.filter(Boolean).join(', ') || null
}

function titleOf(search: URLSearchParams): string {
  if (search.get('mine') === 'true') return 'Waiting for you'
  return search.get('queue') ?? 'Inbox'
}

function addressOf(search: URLSearchParams): string {
  const text = search.toString()
  return text === '' ? '/' : `/?${text}`
}

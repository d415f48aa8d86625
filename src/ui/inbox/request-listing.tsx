import { Button } from '@mantine/core'
import { useEffect, useMemo, useRef } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { useRequests } from '../api/queries.ts'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import { rememberList } from '../request/last-list.ts'
import { announce } from '../states/announce.tsx'
import { Failure } from '../states/failure.tsx'
import { later } from '../states/later.tsx'
import { Loading, LoadingRows } from '../states/loading.tsx'
import { ShowMore } from '../states/show-more.tsx'
import { BulkActs } from './bulk/bulk-acts.tsx'
import { isNarrowed } from './inbox-filters.ts'
import { groupRows, putDecidableFirst, type InboxRow } from './inbox-rows.ts'
import { RequestRows } from './request-rows.tsx'
import { useRowActs } from './use-row-acts.ts'
import { useRowFocus } from './use-row-focus.ts'
import { useSelection } from './use-selection.ts'
import { useSteadyRows } from './use-steady-rows.ts'

const EmptyInbox = later(
  () => import('./empty-inbox.tsx').then((module) => module.EmptyInbox),
  () => <Loading what="the inbox" lines={4} />,
)
/**
 * The first steps of a new installation are below the list of all requests while that list is
 * short.
 */
const FirstSteps = later(() => import('./checklist.tsx').then((module) => module.FirstSteps))
const allThatWait = { to: '/', words: 'Show all that wait' }
const fewRows = 5
const partsOfAll = ['queue', 'mine', 'snoozed'] as const

/** The list of the inbox. `openId`: id or number of the open request. */
export function RequestListing(props: { filters: string; address: string; openId: string | null }) {
  const { filters, address, openId } = props
  const [search] = useSearchParams()
  const isCardOpen = openId !== null
  const list = useRequests(filters)
  const { data, hasNextPage: hasMore } = list
  const fresh = useMemo(
    () => data && { items: data.pages.flatMap((page) => page.items), hasMore },
    [data, hasMore],
  )
  const steady = useSteadyRows(fresh)
  const { waiting: newItems, cause, showFresh, removeGoneRows } = steady
  // An order that the person has chosen stays as it is.
  const isOrdered = search.has('sort')
  const groups = useMemo(() => {
    const inOrder = groupRows(steady.rows)
    return isOrdered ? inOrder : putDecidableFirst(inOrder)
  }, [steady.rows, isOrdered])
  const rows = useMemo(() => groups.flatMap((group) => group.rows), [groups])
  const selection = useSelection(rows)
  const container = useRef<HTMLOListElement>(null)
  const { current, focusRow, keepFocus } = useRowFocus(container, isCardOpen, selection.toggle)
  const acts = useRowActs(isCardOpen, search, () => {
    const id = current()
    return rows.find((row) => row.item.id === id && !row.isGone)?.item ?? null
  })
  useListForPages(rows, address, search.has('snoozed'))
  useComingBack(rows.length > 0 && !isCardOpen, (number) => {
    const row = rows.find(({ item }) => item.number === number)
    if (row !== undefined) focusRow(row.item.id)
  })
  useEffect(() => {
    // Decided rows leave when the person moves on, but not while the pointer is on the list, so
    // that no row moves under it.
    if (container.current?.matches(':hover') === true) return
    removeGoneRows()
  }, [openId, removeGoneRows])

  if (list.isPending) return <LoadingRows what="the requests" />
  if (list.isError && fresh === undefined) {
    return <Failure query={list} isPage whole={allThatWait} />
  }
  const isWhole = !isNarrowed(search) && !partsOfAll.some((name) => search.has(name))
  const hasFirstSteps = !isCardOpen && rows.length > 0 && rows.length <= fewRows && isWhole
  return (
    <>
      <ShowNew
        newCount={newItems.length}
        goneCount={rows.filter((row) => row.isGone).length}
        onShow={() => keepFocus(showFresh)}
      />
      {rows.length > 0 && (
        <RequestRows
          container={container}
          groups={groups}
          openId={openId}
          selected={selection.ids}
          onSelect={selection.select}
          snoozing={acts.snoozing}
          onSnoozeClosed={(id) => {
            acts.setSnoozing(null)
            focusRow(id)
          }}
          onSnoozed={(id) => keepFocus(() => cause('decided', [id]))}
        />
      )}
      {rows.length === 0 &&
        (isCardOpen ? <p className="dim">Nothing waits in this list.</p> : <EmptyInbox />)}
      <ShowMore
        list={list}
        onLoaded={({ data: all }) =>
          cause('requested', all?.pages.at(-1)?.items.map((item) => item.id) ?? [])
        }
      />
      {hasFirstSteps && <FirstSteps />}
      <BulkActs
        items={selection.items}
        onClear={selection.clear}
        onDecided={(ids) => cause('decided', ids)}
      />
    </>
  )
}

/** The bar above the rows while the list has changes that it does not show. */
function ShowNew(props: { newCount: number; goneCount: number; onShow: () => void }) {
  const keys = useAriaKeys('showNew')
  const text = waitingWords(props.newCount, props.goneCount)
  const show = (): void => {
    announce(`${props.newCount} new shown`)
    props.onShow()
  }
  useShortcut('showNew', text === null ? null : show)
  if (text === null) return null
  return (
    <Button className="held-bar" variant="light" size="xs" onClick={show} {...keys}>
      {text}
    </Button>
  )
}

/**
 * Remembers the list, for the page of a request that is opened from it. In the list of what the
 * person has snoozed, nothing is put off.
 */
function useListForPages(rows: readonly InboxRow[], address: string, isOfSnoozed: boolean): void {
  useEffect(() => {
    const requests = rows.map(({ item, isGone }) => ({
      number: item.number,
      open: !isGone && item.state === 'pending',
      isPutOff: !isOfSnoozed && item.snoozedUntil !== null,
    }))
    rememberList({ address, requests })
  }, [rows, address, isOfSnoozed])
}

/** Runs once after each return from a request, when the list is loaded. */
function useComingBack(isReady: boolean, focus: (number: number) => void): void {
  const { state, key } = useLocation()
  const handledKey = useRef<string | null>(null)
  const number = numberIn(state)
  useEffect(() => {
    if (!isReady || number === null || handledKey.current === key) return
    handledKey.current = key
    focus(number)
  }, [isReady, number, key, focus])
}

function numberIn(state: unknown): number | null {
  if (typeof state !== 'object' || state === null || !('fromRequest' in state)) return null
  return typeof state.fromRequest === 'number' ? state.fromRequest : null
}

/** The changes that the list does not show yet: `2 new`, `1 gone`, `2 new, 1 gone`. */
function waitingWords(addedCount: number, goneCount: number): string | null {
  const words = [
    addedCount > 0 ? `${addedCount} new` : '',
    goneCount > 0 ? `${goneCount} gone` : '',
  ]
  return words.filter(Boolean).join(', ') || null
}

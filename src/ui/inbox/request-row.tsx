import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Link, useSearchParams } from 'react-router'
import { requestQuery } from '../api/queries.ts'
import '../request/card/card.css'
import { Risk } from '../request/facts/risk.tsx'
import { outcomeWithEffect } from '../request/facts/state-words.ts'
import { SnoozeMenu } from '../request/snooze-menu.tsx'
import { Countdown } from '../sending/countdown.tsx'
import { useHeldOf } from '../sending/held-decisions.ts'
import { Time, useNowMs } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { addressOf } from './inbox-filters.ts'
import type { InboxRow } from './inbox-rows.ts'
import { RowFacts } from './row-facts.tsx'
import { useSteadyHeight } from './use-steady-height.ts'

/** From here on the time left is shown, and marked. */
const soonMs = 3_600_000

/** One request of the inbox, on one line: what would happen, for whom, and how long there is. */
export function RequestRow(props: {
  row: InboxRow
  /** below a line that says whose turn it is of */
  isGrouped: boolean
  /** its card is on the screen */
  isOpened: boolean
  selected: boolean
  onSelect: (selected: boolean) => void
  isSnoozing: boolean
  onSnoozeClosed: () => void
  onSnoozed: () => void
}) {
  const { item, gone } = props.row
  const [search] = useSearchParams()
  const ref = useRef<HTMLLIElement>(null)
  const height = useSteadyHeight(ref, item, gone)
  const unsent = useHeldOf(item.id)
  const { isOpened } = props
  useEffect(() => {
    if (isOpened && ref.current !== null) scrollInList(ref.current)
  }, [isOpened])
  return (
    <li
      ref={ref}
      className="request-row"
      data-gone={gone}
      data-opened={isOpened}
      data-grouped={props.isGrouped}
      data-request={item.id}
      data-steady={height !== null}
      style={height === null ? undefined : { height }}
    >
      {/* Its box is too small for a thumb, and beside it is the row's link. */}
      <label className="request-select" htmlFor={`select-${item.id}`}>
        <Checkbox
          id={`select-${item.id}`}
          aria-label={`Select request ${item.number}`}
          checked={props.selected}
          disabled={gone}
          onChange={(event) => props.onSelect(event.currentTarget.checked)}
        />
      </label>
      <Risk risk={item.risk} />
      <div className="request-what">
        <Link
          to={addressOf(search, `/requests/${item.number}`)}
          className="request-link"
          aria-current={isOpened ? 'true' : undefined}
        >
          <span className="visually-hidden">{item.risk} risk, </span>
          <VisibleText text={item.kind === 'question' ? item.title : item.effect} />
          <span className="visually-hidden">
            {item.worker !== null && `, ${item.worker}`}
            {gone && ', no longer waiting'}
          </span>
        </Link>
        <RowFacts item={item} gone={gone} isGrouped={props.isGrouped} isOpened={isOpened} />
      </div>
      <div className="request-times">
        {unsent === null ? (
          <RowTimes item={item} gone={gone} />
        ) : unsent.stage === 'held' ? (
          <span className="sending">
            <Countdown sendAtMs={unsent.sendAtMs} />
          </span>
        ) : (
          <span className="sending">Submitting…</span>
        )}
        {props.isSnoozing && (
          <SnoozeMenu
            request={item}
            opened
            onChange={(on) => on || props.onSnoozeClosed()}
            onDone={props.onSnoozed}
          >
            <span className="row-anchor" />
          </SnoozeMenu>
        )}
      </div>
    </li>
  )
}

/** Age, or the time left when that is short; what became of it once it is over. */
function RowTimes({ item, gone }: InboxRow) {
  const leftMs = Date.parse(item.expiresAt) - useNowMs()
  if (gone) return <Outcome id={item.id} />
  if (item.state !== 'pending') return <span>{outcomeWithEffect(item)}</span>
  return (
    <>
      {leftMs < soonMs && (
        <span className="soon">
          {leftMs > 0 ? (
            <>
              <Time at={item.expiresAt} short /> left
            </>
          ) : (
            'expired'
          )}
        </span>
      )}
      <span className="dim">
        <span className="visually-hidden">opened </span>
        <Time at={item.createdAt} short />
      </span>
    </>
  )
}

/**
 * Scrolls a row into the part of its list that is seen, and moves nothing else: the card beside it
 * stays.
 */
function scrollInList(row: HTMLElement): void {
  const list = row.closest<HTMLElement>('.inbox-main')
  if (list === null) return
  const [box, outer] = [row.getBoundingClientRect(), list.getBoundingClientRect()]
  const head = 120
  if (box.top < outer.top + head) list.scrollTop -= outer.top + head - box.top
  else if (box.bottom > outer.bottom) list.scrollTop += box.bottom - outer.bottom
}

/** Says what became of a row that left the list. */
function Outcome({ id }: { id: string }) {
  const { data } = useQuery(requestQuery(id))
  return (
    <span className="outcome">
      {data === undefined ? 'No longer waiting' : outcomeWithEffect(data)}
    </span>
  )
}

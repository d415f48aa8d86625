import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { requestHeadline } from '#domain/requests/request-headline.ts'
import { requestQuery } from '../api/queries.ts'
import '../deciding/card/card.css'
import { cueTexts } from '../deciding/card/cues.tsx'
import { taskLineOf } from '../deciding/card/task-line.tsx'
import { Risk } from '../deciding/facts/risk.tsx'
import { outcomeWithEffect } from '../deciding/facts/state-words.ts'
import { SnoozeMenu } from '../deciding/triage/later-snooze-menu.ts'
import { Countdown } from '../sending/countdown.tsx'
import { useHeldOf } from '../sending/held-decisions.ts'
import { useSteadyHeight } from '../states/use-steady-height.ts'
import { Age, TimeLeft, useNowMs } from '../text/time.tsx'
import { visibleString } from '../text/visible-string.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { addressOf } from './inbox-filters.ts'
import type { InboxRow } from './inbox-rows.ts'
import { RowFacts } from './row-facts.tsx'
import { verbs } from '../words/verbs.ts'

/**
 * The steps of the order by urgency. A request with less time left than one of these is above all
 * requests with more, and its row shows the time.
 */
const dayMs = 24 * 3_600_000
const nearMs = 4 * 3_600_000
const soonMs = 3_600_000

/** One request of the inbox on one line: its effect, for whom, and how much time is left. */
export function RequestRow(props: {
  row: InboxRow
  /** it is in a group, whose line names the turn */
  isGrouped: boolean
  /** it is the open request */
  isOpened: boolean
  selected: boolean
  onSelect: (selected: boolean) => void
  isSnoozing: boolean
  onSnoozeClosed: () => void
  onSnoozed: () => void
}) {
  const { item: itemBefore, isGone } = props.row
  // The list does not have it any more, and its contents may be erased. Until then the row stays as
  // the list had it: the request itself has secrets that lists mask.
  const { data: newest } = useQuery({ ...requestQuery(itemBefore.id), enabled: isGone })
  const item = isGone && newest?.erased ? { ...newest, alike: itemBefore.alike } : itemBefore
  const [search] = useSearchParams()
  const ref = useRef<HTMLLIElement>(null)
  const height = useSteadyHeight(ref, itemBefore, isGone)
  const { isOpened } = props
  const words = requestHeadline(item)
  const task = props.isGrouped || item.external !== null ? '' : taskLineOf(item)
  useEffect(() => {
    if (isOpened && ref.current !== null) scrollInList(ref.current)
  }, [isOpened])
  return (
    <li
      ref={ref}
      className="request-row"
      data-gone={isGone}
      data-decided={!isGone && item.state !== 'pending'}
      data-opened={isOpened}
      data-grouped={props.isGrouped}
      data-request={item.id}
      data-steady={height !== null}
      style={height === null ? undefined : { height }}
    >
      <SelectBox
        item={item}
        disabled={isGone}
        selected={props.selected}
        onSelect={props.onSelect}
      />
      <Risk risk={item.risk} />
      {/* The link covers these words, and a title of its own would be read out after them. */}
      <div
        className="request-what"
        title={[words, task, isGone ? '' : reasonOrOutcome(item)]
          .filter(Boolean)
          .map(visibleString)
          .concat(cueTexts(item.cues))
          .join('\n')}
      >
        <Link
          to={addressOf(search, `/requests/${item.number}`)}
          className="request-link"
          aria-current={isOpened ? 'true' : undefined}
        >
          <span className="visually-hidden">{item.risk} risk, </span>
          <VisibleText text={words} />
          <span className="visually-hidden">
            {item.worker !== null && `, ${item.worker}`}
            {isGone && ', no longer waiting'}
          </span>
        </Link>
        <RowFacts item={item} isGone={isGone} isGrouped={props.isGrouped} isOpened={isOpened} />
      </div>
      <div className="request-times">
        <TimesOrSending item={item} isGone={isGone} />
        {props.isSnoozing && (
          <RowSnooze item={item} onClosed={props.onSnoozeClosed} onDone={props.onSnoozed} />
        )}
      </div>
    </li>
  )
}

function SelectBox(props: {
  item: RequestItem
  disabled: boolean
  selected: boolean
  onSelect: (selected: boolean) => void
}) {
  const id = `select-${props.item.id}`
  // The box is too small for a thumb, and beside it is the row's link.
  return (
    <label className="request-select" htmlFor={id}>
      <Checkbox
        id={id}
        aria-label={`Select request ${props.item.number}`}
        checked={props.selected}
        disabled={props.disabled}
        onChange={(event) => props.onSelect(event.currentTarget.checked)}
      />
    </label>
  )
}

/** The times of a request, or the progress of its decision while that is held or sent. */
function TimesOrSending({ item, isGone }: { item: RequestItem; isGone: boolean }) {
  const unsent = useHeldOf(item.id)
  if (unsent === null) return <RowTimes item={item} isGone={isGone} />
  return (
    <span className="sending">
      {unsent.stage === 'held' ? <Countdown sendAtMs={unsent.sendAtMs} /> : verbs.submitting}
    </span>
  )
}

/** The menu that snoozes the request, open, at the end of its row. */
function RowSnooze(props: { item: RequestItem; onClosed: () => void; onDone: () => void }) {
  const id = useId()
  const [target, setTarget] = useState<HTMLElement | null>(null)
  const onChange = (isOpen: boolean): void => {
    if (!isOpen) props.onClosed()
  }
  return (
    <>
      <span className="row-anchor" ref={setTarget} id={id} aria-label={verbs.snooze} role="group" />
      <SnoozeMenu
        request={props.item}
        menu={{ id, target, isOpen: true, onChange }}
        onDone={props.onDone}
      />
    </>
  )
}

/** The age of the request, the time left if it is short, or the outcome. */
function RowTimes({ item, isGone }: Pick<InboxRow, 'item' | 'isGone'>) {
  const leftMs = Date.parse(item.expiresAt) - useNowMs()
  if (isGone) return <Outcome id={item.id} />
  if (item.state !== 'pending') return <OutcomeText item={item} />
  return (
    <>
      {leftMs < dayMs && (
        <span className={timeClass(leftMs)}>
          <TimeLeft at={item.expiresAt} />
        </span>
      )}
      <span className="dim">
        <span className="visually-hidden">opened </span>
        <Age at={item.createdAt} />
      </span>
    </>
  )
}

function timeClass(leftMs: number): string {
  if (leftMs < soonMs) return 'time-left soon'
  return leftMs < nearMs ? 'time-left near' : 'time-left'
}

/** Scrolls a row into the visible part of its list, without scrolling the page. */
function scrollInList(row: HTMLElement): void {
  const list = row.closest<HTMLElement>('.inbox-main')
  if (list === null) return
  const [box, outer] = [row.getBoundingClientRect(), list.getBoundingClientRect()]
  const head = 120
  if (box.top < outer.top + head) list.scrollTop -= outer.top + head - box.top
  else if (box.bottom > outer.bottom) list.scrollTop += box.bottom - outer.bottom
}

/** The outcome of a request that left the list. */
function Outcome({ id }: { id: string }) {
  const { data } = useQuery(requestQuery(id))
  if (data === undefined) return <span className="outcome">No longer waiting</span>
  return <OutcomeText item={data} />
}

/** Why the person cannot decide a pending request, or the outcome of an ended one; else empty. */
function reasonOrOutcome(item: InboxRow['item']): string {
  if (item.state !== 'pending') return outcomeWithEffect(item)
  return item.eligibility.canDecide ? '' : (item.eligibility.reason ?? '')
}

function OutcomeText({ item }: { item: Parameters<typeof outcomeWithEffect>[0] }) {
  const words = outcomeWithEffect(item)
  return (
    <span className="outcome" title={words}>
      {words}
    </span>
  )
}

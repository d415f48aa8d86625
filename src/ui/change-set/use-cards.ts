import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { BulkItem } from '#api/schemas/requests/decisions.ts'
import { useMe } from '../api/queries.ts'
import { keepDraft, readDraft } from '../states/draft.ts'
import { placeOfFile, markViewed, viewedPlaces } from '../effect/seeing/viewed-marks.ts'
import type { CardActs, CardState, OpenedCall } from './call-card.tsx'
import { showCall } from './call-focus.ts'
import type { ChangeEntry } from './change-entries.ts'
import type { CallChoice } from './plan-decisions.ts'

/** The state of a card, and whether all of it has been on the screen. */
export interface SeenCardState extends CardState {
  readonly seen: boolean
}

interface SavedCardState extends SeenCardState {
  readonly openedCall: OpenedCall
}

const callPlace = placeOfFile(0, 1)

/**
 * The choices, texts and seen parts for each call. A reason that was not sent is kept, also for the
 * request's own page; choices are not. An opened revision stays until the person asks for the new
 * one, so that nobody decides a call that changed while they read.
 */
export function useCards(entries: readonly ChangeEntry[]) {
  const { id: personId } = useMe().person
  const fresh = useCallback(
    (openedCall: OpenedCall): SavedCardState => {
      const { digest } = openedCall.presentation
      const wasViewed = viewedPlaces({ personId, digest }).has(callPlace)
      return {
        ...nothing,
        reason: readDraft('reason', openedCall.request.id, personId),
        wasViewed,
        isFolded: wasViewed,
        openedCall,
      }
    },
    [personId],
  )
  const [saved, setSaved] = useState<ReadonlyMap<string, SavedCardState>>(new Map())
  const approvals = useMemo(
    () => new Map(entries.flatMap(({ key, approval }) => (approval ? [[key, approval]] : []))),
    [entries],
  )
  // In a ref, so that a new answer of the service does not change the acts of every card.
  const newest = useRef(approvals)
  useEffect(() => {
    newest.current = approvals
  }, [approvals])
  // The state of a call begins with its first presentation.
  const missing = [...approvals].filter(([key]) => !saved.has(key))
  if (missing.length > 0) {
    setSaved(new Map([...saved, ...missing.map(([key, one]) => [key, fresh(one)] as const)]))
  }
  const change = useCallback(
    (key: string, by: (before: SavedCardState) => SavedCardState) =>
      setSaved((all) => {
        const before = all.get(key)
        const after = before === undefined ? undefined : by(before)
        return after === undefined || after === before ? all : new Map([...all, [key, after]])
      }),
    [],
  )
  const acts: CardActs = useMemo(
    () => ({
      onChoose: (key, choice) => change(key, (card) => ({ ...card, choice, result: null })),
      onReason: (key, reason) => {
        keepDraft('reason', key, personId, reason)
        change(key, (card) => ({ ...card, reason }))
      },
      onSeen: (key, seen) => change(key, (card) => (card.seen === seen ? card : { ...card, seen })),
      onView: (key) =>
        change(key, (card) => {
          const wasViewed = !card.wasViewed
          const { digest } = card.openedCall.presentation
          markViewed({ personId, digest }, callPlace, wasViewed)
          return { ...card, wasViewed, isFolded: wasViewed }
        }),
      onUnfold: (key) => {
        change(key, (card) => ({ ...card, isFolded: false }))
        showCall(key)
      },
      onReview: (key) => {
        const one = newest.current.get(key)
        if (one === undefined) return
        // The typed reason stays, also if the tab had no room to keep it. What was seen stays seen
        // if the new revision shows the same: its card does not report that again.
        change(key, ({ reason, seen, openedCall }) => ({
          ...fresh(one),
          reason,
          seen: seen && openedCall.presentation.digest === one.presentation.digest,
        }))
      },
    }),
    [change, fresh, personId],
  )
  const record = useCallback(
    (items: readonly BulkItem[], choiceOf: (requestId: string) => CallChoice) => {
      for (const item of items) {
        const choice = choiceOf(item.requestId)
        if (item.status === 200) keepDraft('reason', item.requestId, personId, '')
        change(item.requestId, (card) => ({ ...card, choice: 'leave', result: { item, choice } }))
      }
    },
    [change, personId],
  )
  /** Returns the same object until the state of the call changes: no other card is drawn. */
  const stateOf = (entry: ChangeEntry): SeenCardState =>
    (entry.approval === null ? undefined : saved.get(entry.key)) ?? withoutApproval
  return { stateOf, acts, record }
}

const nothing = {
  choice: 'leave',
  reason: '',
  wasViewed: false,
  isFolded: false,
  seen: false,
  result: null,
} as const
const withoutApproval = { ...nothing, openedCall: null }

import { useCallback, useMemo, useState } from 'react'
import type { BulkItem } from '#api/schemas/requests/decisions.ts'
import type { CardActs, CardState } from './call-card.tsx'
import type { ChangeEntry } from './change-entries.ts'
import type { CallChoice } from './plan-decisions.ts'

/** What the page adds to a card's state: whether all of it has been on the screen. */
export interface SeenCardState extends CardState {
  readonly seen: boolean
}

interface SavedCardState extends Omit<SeenCardState, 'changed' | 'opened'> {
  readonly opened: NonNullable<ChangeEntry['asked']>
}

/**
 * What a person has chosen, typed and seen of each call. What was opened stays as it was until they
 * ask for the new revision: nobody decides what changed under their eyes.
 */
export function useCards(entries: readonly ChangeEntry[]) {
  const [saved, setSaved] = useState<ReadonlyMap<string, SavedCardState>>(new Map())
  const contents = useMemo(
    () =>
      new Map(
        entries.flatMap(({ key, asked: content }) => (content === null ? [] : [[key, content]])),
      ),
    [entries],
  )
  // The first sight of each; state of its own only begins with it.
  const missing = [...contents].filter(([key]) => !saved.has(key))
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
      onReason: (key, reason) => change(key, (card) => ({ ...card, reason })),
      onSeen: (key, seen) => change(key, (card) => (card.seen === seen ? card : { ...card, seen })),
      onView: (key) => change(key, (card) => ({ ...card, viewed: !card.viewed })),
      onReview: (key) => {
        const one = contents.get(key)
        if (one === undefined) return
        // The reason that was typed stays.
        change(key, ({ reason }) => ({ ...fresh(one), reason }))
      },
    }),
    [contents, change],
  )
  const record = useCallback(
    (items: readonly BulkItem[], choiceOf: (requestId: string) => CallChoice) => {
      for (const item of items) {
        const choice = choiceOf(item.requestId)
        change(item.requestId, (card) => ({ ...card, choice: 'leave', result: { item, choice } }))
      }
    },
    [change],
  )
  const stateOf = (entry: ChangeEntry): SeenCardState => {
    const card = saved.get(entry.key)
    if (card === undefined || entry.asked === null) return { ...unasked, opened: entry.asked }
    const { opened } = card
    const now = entry.asked.request
    const isSame = opened.request.revision === now.revision && opened.request.digest === now.digest
    return { ...card, changed: !isSame }
  }
  return { stateOf, acts, record }
}

const nothing = { choice: 'leave', reason: '', viewed: false, seen: false, result: null } as const
const unasked = { ...nothing, changed: false }

function fresh(opened: NonNullable<ChangeEntry['asked']>): SavedCardState {
  return { ...nothing, opened }
}

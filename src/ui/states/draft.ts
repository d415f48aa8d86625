import { useCallback, useState, useSyncExternalStore } from 'react'
import { newListeners } from '#domain/listeners.ts'
import { useMe } from '../api/queries.ts'
import { keepInTab } from '../api/keep-in-tab.ts'

const start = 'countersign.draft.'
const changes = newListeners()

function endOf(requestId: string, personId: string): string {
  return `.${requestId}.${personId}`
}

/** The fields of a request or run that have a draft of this person in this tab. */
export function draftedFields(requestId: string, personId: string): string[] {
  const end = endOf(requestId, personId)
  return Object.keys(sessionStorage)
    .filter((key) => key.startsWith(start) && key.endsWith(end))
    .map((key) => key.slice(start.length, -end.length))
}

type Field =
  | 'reason'
  | 'comment'
  | 'fork'
  | `line ${string}`
  | `edit ${string}`
  | `file ${number}`
  | `input ${number}`

function keyOf(field: string, requestId: string, personId: string): string {
  return `${start}${field}${endOf(requestId, personId)}`
}

/** The draft that `useDraft` returns, for a page with fields of many requests. */
export function readDraft(field: Field, requestId: string, personId: string): string {
  return sessionStorage.getItem(keyOf(field, requestId, personId)) ?? ''
}

/** Keeps the draft of a field; an empty one is removed. */
export function keepDraft(field: Field, requestId: string, personId: string, text: string): void {
  const key = keyOf(field, requestId, personId)
  if (text === '') sessionStorage.removeItem(key)
  else keepInTab(key, text)
  changes.notify()
}

/** How many drafts of a request `isCounted` counts, as they change on this page. */
export function useDraftCount(requestId: string, isCounted: (field: string) => boolean): number {
  const { person } = useMe()
  return useSyncExternalStore(
    changes.subscribe,
    () => draftedFields(requestId, person.id).filter(isCounted).length,
  )
}

/**
 * Whether the draft of a field may quote the contents of its request. The reason and the comment
 * are the person's own words, and the page of a request whose contents were erased has their
 * fields.
 */
function mayQuote(field: string): boolean {
  return field !== 'reason' && field !== 'comment'
}

/** The requests with drafts of a person that may quote their contents, in this tab. */
export function requestsWithErasableDrafts(personId: string): readonly string[] {
  const ids = Object.keys(sessionStorage).flatMap((key) => {
    if (!key.startsWith(start) || !key.endsWith(`.${personId}`)) return []
    // The field can contain dots, as of a file. `fork` is a field of runs.
    const [, field, id] =
      /^(.+)\.([^.]+)$/s.exec(key.slice(start.length, -personId.length - 1)) ?? []
    return id !== undefined && field !== undefined && field !== 'fork' && mayQuote(field)
      ? [id]
      : []
  })
  return [...new Set(ids)]
}

/** Removes the drafts of a person that may quote the erased contents of a request. */
export function removeErasedDrafts(requestId: string, personId: string): void {
  for (const field of draftedFields(requestId, personId)) {
    if (mayQuote(field)) sessionStorage.removeItem(keyOf(field, requestId, personId))
  }
}

/**
 * The draft of a person's text about a request or run. It survives a reload, a refusal, other pages
 * and the end of the session. The next person in the same tab has drafts of their own.
 */
export function useDraft(
  requestId: string,
  field: Field,
): [text: string, set: (text: string) => void] {
  const { person } = useMe()
  const [text, setText] = useState(() => readDraft(field, requestId, person.id))
  const set = useCallback(
    (next: string) => {
      keepDraft(field, requestId, person.id, next)
      setText(next)
    },
    [field, requestId, person.id],
  )
  return [text, set]
}

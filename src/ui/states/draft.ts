import { useCallback, useState } from 'react'
import { useMe } from '../api/queries.ts'
import { keepInTab } from '../api/keep-in-tab.ts'

const start = 'countersign.draft.'

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

/**
 * The draft of a person's text about a request or run. It survives a reload, a refusal, other pages
 * and the end of the session. The next person in the same tab has drafts of their own.
 */
export function useDraft(
  requestId: string,
  field: 'reason' | 'comment' | 'fork' | `line ${string}` | `edit ${string}`,
): [text: string, set: (text: string) => void] {
  const { person } = useMe()
  const key = `${start}${field}${endOf(requestId, person.id)}`
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '')
  const set = useCallback(
    (next: string) => {
      if (next === '') sessionStorage.removeItem(key)
      else keepInTab(key, next)
      setText(next)
    },
    [key],
  )
  return [text, set]
}

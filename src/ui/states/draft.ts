import { useCallback, useState } from 'react'
import { useMe } from '../api/queries.ts'

/**
 * Text that a person has typed for a request or a run. It survives a reload, a refusal, a look
 * elsewhere and the end of the session, for this person: whoever signs in next in the same tab has
 * a draft of their own.
 */
export function useDraft(
  requestId: string,
  field: 'reason' | 'comment' | 'fork',
): [text: string, set: (text: string) => void] {
  const { person } = useMe()
  const key = `countersign.draft.${field}.${requestId}.${person.id}`
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '')
  const set = useCallback(
    (next: string) => {
      if (next === '') sessionStorage.removeItem(key)
      else sessionStorage.setItem(key, next)
      setText(next)
    },
    [key],
  )
  return [text, set]
}

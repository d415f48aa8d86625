import { useCallback, useState } from 'react'

/** Text that a person has typed for a request. It survives a reload, a refusal and a look elsewhere. */
export function useDraft(
  requestId: string,
  field: 'reason' | 'comment',
): [text: string, set: (text: string) => void] {
  const key = `countersign.draft.${field}.${requestId}`
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

import { useEffect, useRef, type RefObject } from 'react'

/**
 * The element that takes the focus when its form is removed while it has the focus. `isForm`:
 * whether the form is there. A focus elsewhere on the page stays.
 */
export function useFocusReturn<Place extends HTMLElement>(
  isForm: boolean,
): RefObject<Place | null> {
  const place = useRef<Place>(null)
  const wasForm = useRef(isForm)
  useEffect(() => {
    const isReplaced = wasForm.current && !isForm
    wasForm.current = isForm
    if (!isReplaced || document.activeElement !== document.body) return
    place.current?.focus({ preventScroll: true })
  }, [isForm])
  return place
}

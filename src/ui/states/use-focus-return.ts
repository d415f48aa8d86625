import { useEffect, useRef, type RefObject } from 'react'

/**
 * The element that takes the focus when the form in it is replaced by what became of it, and took
 * the focus along. `isForm`: whether the form is there. A focus elsewhere on the page stays.
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

import { useEffect, useRef, type RefObject } from 'react'

/**
 * The element that takes the focus when its form is removed while it has the focus. `isForm`:
 * whether the form is there. If the focus is elsewhere on the page, it stays there. If nothing had
 * the focus, a form that ends by itself does not scroll the page. `isBusy`: the controls of the
 * form wait for an answer. They lose the focus, and get it back if the form stays.
 */
export function useFocusReturn<Place extends HTMLElement>(
  isForm: boolean,
  isBusy?: boolean,
): RefObject<Place | null> {
  const place = useRef<Place>(null)
  // A button that was pressed can lose the focus, because it waits, before it is removed.
  const latest = useRef<Element | null>(null)
  useEffect(() => {
    if (isForm) {
      latest.current = document.activeElement
      const recordFocus = ({ target }: FocusEvent): void =>
        void (latest.current = target as Element)
      document.addEventListener('focusin', recordFocus)
      return () => document.removeEventListener('focusin', recordFocus)
    }
    const isRemoved = latest.current?.isConnected === false
    latest.current = null
    if (isRemoved && document.activeElement === document.body) {
      place.current?.focus({ preventScroll: true })
    }
    return undefined
  }, [isForm])
  useEffect(() => {
    if (isBusy !== false || !isForm || document.activeElement !== document.body) return
    const before = latest.current
    if (before instanceof HTMLElement && place.current?.contains(before) === true) {
      before.focus({ preventScroll: true })
    }
  }, [isBusy, isForm])
  return place
}

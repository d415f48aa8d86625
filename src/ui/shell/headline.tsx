import { use, useEffect, useLayoutEffect, useRef, type ReactNode } from 'react'
import { NavigationType, useLocation, useNavigationType } from 'react-router'
import { OnScreenContext } from '../states/together.tsx'
import { visibleString } from '../text/visible-string.ts'

/**
 * The headline of the page. It takes the focus when the page opens, so that keyboard and screen
 * reader begin there, and sets the title of the browser tab.
 */
export function Headline({ tab, children }: { tab: string; children: ReactNode }) {
  const ref = useRef<HTMLHeadingElement>(null)
  const { pathname, key } = useLocation()
  const isOnScreen = use(OnScreenContext)
  const isReplaced = useNavigationType() === NavigationType.Replace
  useEffect(() => {
    document.title = `${visibleString(tab)} · Countersign`
  }, [tab])
  // A layout effect, because it runs again when a part of the page that was loading hid the page.
  useLayoutEffect(() => {
    // `default` is the first page of a visit, where the browser sets the focus.
    if (key === 'default' || !isOnScreen) return
    // Who sets a filter, which changes the address of the same page, goes on in its control.
    if (isReplaced && document.activeElement !== document.body) return
    ref.current?.focus({ preventScroll: true })
  }, [pathname, key, isOnScreen, isReplaced])
  return (
    <h1 ref={ref} tabIndex={-1}>
      {children}
    </h1>
  )
}

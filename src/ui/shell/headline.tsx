import { useEffect, useRef, type ReactNode } from 'react'
import { useLocation } from 'react-router'
import { visibleString } from '../text/visible-string.ts'

/**
 * The page's headline. It takes the focus when the page opens, so that keyboard and screen reader
 * begin there, and names the browser's tab.
 */
export function Headline({ tab, children }: { tab: string; children: ReactNode }) {
  const ref = useRef<HTMLHeadingElement>(null)
  const { pathname, key } = useLocation()
  useEffect(() => {
    document.title = `${visibleString(tab)} · Countersign`
  }, [tab])
  useEffect(() => {
    // `default`: the first page of a visit keeps the focus where the browser puts it.
    if (key !== 'default') ref.current?.focus({ preventScroll: true })
  }, [pathname, key])
  return (
    <h1 ref={ref} tabIndex={-1}>
      {children}
    </h1>
  )
}

import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { sendAllHeld } from './held-decisions.ts'

/**
 * Sends what waits as soon as somebody leaves: the browser's page, or in the dashboard the page on
 * which they decided. The list and its requests are one page, since deciding leads from one to the
 * next (dashboard.md, Keyboard).
 */
export function useSendOnLeaving(): void {
  const { pathname } = useLocation()
  const page = pathname.startsWith('/requests/') ? '/' : pathname
  const before = useRef(page)
  useEffect(() => {
    if (before.current !== page) sendAllHeld()
    before.current = page
  }, [page])
  useEffect(() => {
    window.addEventListener('pagehide', sendAllHeld)
    return () => window.removeEventListener('pagehide', sendAllHeld)
  }, [])
}

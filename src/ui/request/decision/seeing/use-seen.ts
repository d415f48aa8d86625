import { useEffect, useState } from 'react'
import { isDialogOpen } from '../../../shell/open-dialog.ts'
import { isAllSeen, withSeen, type Interval } from './seen-intervals.ts'

/**
 * Whether every part of an element has been on the screen: below the header, above what sticks to the
 * bottom, with the tab visible and no dialog over it (security.md 15). Starts anew with another `key`
 * or width, since other lines then stand at those heights.
 */
export function useSeen(element: HTMLElement | null, key: string, complete: boolean): boolean {
  const [allSeen, setAllSeen] = useState(false)
  useEffect(() => {
    setAllSeen(false)
    if (element === null) return undefined
    let seen: readonly Interval[] = []
    let width = element.clientWidth
    let frame = 0
    const look = (): void => {
      frame = 0
      if (document.visibilityState !== 'visible' || isDialogOpen()) return
      const box = element.getBoundingClientRect()
      if (element.clientWidth !== width) {
        width = element.clientWidth
        seen = []
      }
      const top = document.querySelector('.header')?.getBoundingClientRect().bottom ?? 0
      const bar = document.querySelector('.decide-bar')?.getBoundingClientRect().top
      const bottom = Math.min(window.innerHeight, bar ?? window.innerHeight)
      seen = withSeen(seen, {
        from: Math.max(0, top - box.top),
        to: Math.min(box.height, bottom - box.top),
      })
      if (complete && isAllSeen(seen, box.height)) setAllSeen(true)
    }
    const lookSoon = (): void => {
      if (frame === 0) frame = requestAnimationFrame(look)
    }
    const resized = new ResizeObserver(lookSoon)
    resized.observe(element)
    window.addEventListener('scroll', lookSoon, { passive: true })
    document.addEventListener('visibilitychange', lookSoon)
    lookSoon()
    return () => {
      cancelAnimationFrame(frame)
      resized.disconnect()
      window.removeEventListener('scroll', lookSoon)
      document.removeEventListener('visibilitychange', lookSoon)
    }
  }, [element, key, complete])
  return allSeen
}

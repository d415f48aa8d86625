import { useEffect, useState } from 'react'
import { isDialogOpen } from '../../../keyboard/open-dialog.ts'
import { coversHeight, addInterval, type Interval } from './seen-intervals.ts'

/**
 * Whether every part of an element has been on the screen: below the header, above what sticks to
 * the bottom, with the tab visible and no dialog over it (security.md 15); in a dialog, below its
 * head and above its end. Starts anew with another `key` or width, since other lines then stand at
 * those heights.
 */
export function useFullyViewed(
  element: HTMLElement | null,
  key: string,
  complete: boolean,
): boolean {
  const [fullyViewed, setFullyViewed] = useState(false)
  useEffect(() => {
    setFullyViewed(false)
    if (element === null) return undefined
    let intervals: readonly Interval[] = []
    let width = element.clientWidth
    let frame = 0
    const look = (): void => {
      frame = 0
      const dialog = element.closest<HTMLElement>('[role="dialog"]')
      if (document.visibilityState !== 'visible' || (dialog === null && isDialogOpen())) return
      const box = element.getBoundingClientRect()
      if (element.clientWidth !== width) {
        width = element.clientWidth
        intervals = []
      }
      const { top, bottom } = dialog === null ? pagePart() : dialogPart(dialog)
      intervals = addInterval(intervals, {
        from: Math.max(0, top - box.top),
        to: Math.min(box.height, bottom - box.top),
      })
      if (complete && coversHeight(intervals, box.height)) setFullyViewed(true)
    }
    const lookSoon = (): void => {
      if (frame === 0) frame = requestAnimationFrame(look)
    }
    const resized = new ResizeObserver(lookSoon)
    resized.observe(element)
    // A dialog scrolls by itself, and such events do not bubble.
    document.addEventListener('scroll', lookSoon, { passive: true, capture: true })
    document.addEventListener('visibilitychange', lookSoon)
    lookSoon()
    return () => {
      cancelAnimationFrame(frame)
      resized.disconnect()
      document.removeEventListener('scroll', lookSoon, { capture: true })
      document.removeEventListener('visibilitychange', lookSoon)
    }
  }, [element, key, complete])
  return fullyViewed
}

interface Part {
  readonly top: number
  readonly bottom: number
}

/** What is visible of the page: below the header, above what sticks to the bottom. */
function pagePart(): Part {
  const top = document.querySelector('.header')?.getBoundingClientRect().bottom ?? 0
  const bar = document.querySelector('.decide-bar')?.getBoundingClientRect().top
  return { top, bottom: Math.min(window.innerHeight, bar ?? window.innerHeight) }
}

/**
 * What is visible of a dialog, whose header and whose last row stay in place while the rest
 * scrolls.
 */
function dialogPart(dialog: HTMLElement): Part {
  const box = dialog.getBoundingClientRect()
  const head = dialog.querySelector('header')?.getBoundingClientRect().bottom
  const foot = dialog.querySelector('.dialog-foot')?.getBoundingClientRect().top
  return {
    top: Math.max(0, head ?? box.top),
    bottom: Math.min(window.innerHeight, box.bottom, foot ?? box.bottom),
  }
}

import { visibleFrom } from './sticky-heads.ts'
import { unseenParts } from './seen-intervals.ts'
import type { SeenTracker } from './use-seen.ts'

/** Scrolls to a height of an element, below what stays at the top of the page. */
export function scrollToPart(region: HTMLElement, at: number): void {
  const goal = (): number => region.getBoundingClientRect().top + at - visibleFrom(region) - 8
  window.scrollBy({ top: goal() })
  // The head of the file covers the lines only where they are now.
  window.scrollBy({ top: goal() })
}

/** Scrolls to the first part that has not been on the screen; false: there is none to show. */
export function showUnseen(region: HTMLElement | null, tracker: SeenTracker): boolean {
  const { intervals, height } = tracker.read()
  const [first] = height === 0 ? [] : unseenParts(intervals, height)
  if (region === null || first === undefined) return false
  scrollToPart(region, first.from)
  return true
}

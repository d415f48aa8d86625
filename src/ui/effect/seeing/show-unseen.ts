import { unseenParts } from './seen-intervals.ts'
import type { SeenTracker } from './use-seen.ts'

/** Scrolls to a height of an element, below the header of the page. */
export function scrollToPart(region: HTMLElement, at: number): void {
  const head = document.querySelector('.header')?.getBoundingClientRect().bottom ?? 0
  const top = region.getBoundingClientRect().top + window.scrollY + at - head
  window.scrollTo({ top: Math.max(0, top - 8) })
}

/** Scrolls to the first part that has not been on the screen; false: there is none to show. */
export function showUnseen(region: HTMLElement | null, tracker: SeenTracker): boolean {
  const { intervals, height } = tracker.read()
  const [first] = height === 0 ? [] : unseenParts(intervals, height)
  if (region === null || first === undefined) return false
  scrollToPart(region, first.from)
  return true
}

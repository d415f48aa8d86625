import { useEffect, useMemo, useState } from 'react'
import { newListeners } from '#domain/listeners.ts'
import { isDialogOpen } from '../../keyboard/open-dialog.ts'
import { useDiffSetting } from '../settings/diff-settings.ts'
import { visibleFrom } from './sticky-heads.ts'
import { addInterval, coversHeight, moveIntervals, type Interval } from './seen-intervals.ts'

const works = new Set<() => void>()

/**
 * Runs a function in the next frame, once, together with those of all others. React then draws all
 * their changes in one step. If each function had a frame of its own, React would end a page with
 * more than fifty of them with an error.
 */
export function inNextFrame(work: () => void): void {
  if (works.size === 0) requestAnimationFrame(runAll)
  works.add(work)
}

/** The function does not run, unless it is given to `inNextFrame` again. */
export function notInNextFrame(work: () => void): void {
  works.delete(work)
}

/** Each runs, also after one that throws, which is reported as an error of the page. */
function runAll(): void {
  const all = [...works]
  works.clear()
  for (const work of all) {
    try {
      work()
    } catch (error) {
      reportError(error)
    }
  }
}

/** The parts of an element that have been on the screen. */
export interface SeenParts {
  readonly intervals: readonly Interval[]
  readonly height: number
}

/** Access to those parts without rendering the page at each scroll step. */
export interface SeenTracker {
  readonly read: () => SeenParts
  readonly subscribe: (listener: () => void) => () => void
}

/**
 * Whether every part of an element has been on the screen (security.md 15): below the header and
 * the head of its file, above the sticky row at the bottom, with the tab visible and no dialog over
 * it. In a dialog, a part must have been between the head and the last row. Starts again if `key`,
 * the width or the settings of differences change, because the lines then have other heights.
 */
export function useFullyViewed(
  element: HTMLElement | null,
  key: string,
  complete: boolean,
): boolean {
  return useSeen(element, key, complete).fullyViewed
}

/** Like `useFullyViewed`, with the parts that have been on the screen. */
export function useSeen(
  element: HTMLElement | null,
  key: string,
  complete: boolean,
): { fullyViewed: boolean; tracker: SeenTracker } {
  const [fullyViewed, setFullyViewed] = useState(false)
  const [split, wrap] = [useDiffSetting('split'), useDiffSetting('wrap')]
  const drawnAs = `${split} ${wrap} ${useDiffSetting('ignoreWhiteSpace')}`
  const [{ set, tracker }] = useState(openTracker)
  useEffect(() => {
    setFullyViewed(false)
    set({ intervals: [], height: 0 })
    if (element === null) return undefined
    let intervals: readonly Interval[] = []
    let width = element.clientWidth
    let height = element.clientHeight
    let actedAt: number | null = null
    const measure = (): void => {
      const box = element.getBoundingClientRect()
      // It is folded: nothing of it is on the screen, and what was seen of it stays so.
      if (box.height === 0) return
      if (element.clientWidth !== width) {
        width = element.clientWidth
        intervals = []
      } else if (Math.abs(box.height - height) > 1 && actedAt !== null) {
        // A click opened or closed content at this height.
        intervals = moveIntervals(intervals, actedAt, box.height - height)
      }
      height = box.height
      const dialog = element.closest<HTMLElement>('[role="dialog"]')
      if (document.visibilityState !== 'visible' || (dialog === null && isDialogOpen())) return
      const { top, bottom } = dialog === null ? pagePart(element) : dialogPart(dialog)
      intervals = addInterval(intervals, {
        from: Math.max(0, top - box.top),
        to: Math.min(box.height, bottom - box.top),
      })
      set({ intervals, height: box.height })
      if (complete && coversHeight(intervals, box.height)) setFullyViewed(true)
    }
    const measureSoon = (): void => inNextFrame(measure)
    const act = ({ target }: Event): void => {
      if (!(target instanceof Element)) return
      actedAt = target.getBoundingClientRect().top - element.getBoundingClientRect().top
    }
    const resizeObserver = new ResizeObserver(measureSoon)
    resizeObserver.observe(element)
    element.addEventListener('click', act, { capture: true })
    // Scroll events of a dialog do not bubble.
    document.addEventListener('scroll', measureSoon, { passive: true, capture: true })
    document.addEventListener('visibilitychange', measureSoon)
    measureSoon()
    return () => {
      notInNextFrame(measure)
      resizeObserver.disconnect()
      element.removeEventListener('click', act, { capture: true })
      document.removeEventListener('scroll', measureSoon, { capture: true })
      document.removeEventListener('visibilitychange', measureSoon)
    }
  }, [element, key, complete, drawnAs, set])
  return useMemo(() => ({ fullyViewed, tracker }), [fullyViewed, tracker])
}

function openTracker(): { tracker: SeenTracker; set: (parts: SeenParts) => void } {
  let parts: SeenParts = { intervals: [], height: 0 }
  const { subscribe, notify } = newListeners()
  return {
    tracker: { read: () => parts, subscribe },
    set: (next) => {
      if (JSON.stringify(next) === JSON.stringify(parts)) return
      parts = next
      notify()
    },
  }
}

interface Part {
  readonly top: number
  readonly bottom: number
}

/** The part of the page in which an element is visible: above the sticky row at the bottom. */
function pagePart(element: HTMLElement): Part {
  const top = visibleFrom(element)
  const bar = document.querySelector('.decide-bar, .composer')?.getBoundingClientRect().top
  return { top, bottom: Math.min(window.innerHeight, bar ?? window.innerHeight) }
}

/** The visible part of a dialog, between its head and its last row, which do not scroll. */
function dialogPart(dialog: HTMLElement): Part {
  const box = dialog.getBoundingClientRect()
  const head = dialog.querySelector('header')?.getBoundingClientRect().bottom
  const foot = dialog.querySelector('.dialog-foot')?.getBoundingClientRect().top
  return {
    top: Math.max(0, head ?? box.top),
    bottom: Math.min(window.innerHeight, box.bottom, foot ?? box.bottom),
  }
}

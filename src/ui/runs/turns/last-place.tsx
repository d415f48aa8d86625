import { use, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { NavigationType, useLocation, useNavigationType } from 'react-router'
import { keepInTab } from '../../api/keep-in-tab.ts'
import { OnScreenContext } from '../../states/together.tsx'
import { goToPlace, topOf } from './go-to-place.ts'

/** A place of the page: its first turn on the screen, and where that begins there, in pixels. */
interface Place {
  readonly id: string
  readonly top: number
}

/** A reader is at the end if the end of the turns is at most this far below the screen. */
const atEndPx = 160

/**
 * Stores the reader's position in a run when they leave the page, and returns it when they return
 * to the page or load it again. Null: the position was the end, this is the first visit, or the
 * address names a place.
 */
export function useLastPlace(region: RefObject<HTMLElement | null>): Place | null {
  const { hash, key, pathname } = useLocation()
  const storageKey = `countersign.place.${pathname}.${key}`
  const isReturn = useNavigationType() === NavigationType.Pop && hash === ''
  const [place] = useState(() => (isReturn ? readPlace(sessionStorage.getItem(storageKey)) : null))
  useLayoutEffect(() => {
    const keep = (): void => {
      const here = placeIn(region.current)
      if (here === null) sessionStorage.removeItem(storageKey)
      else keepInTab(storageKey, JSON.stringify({ ...here, visit: performance.timeOrigin }))
    }
    window.addEventListener('pagehide', keep)
    return () => {
      window.removeEventListener('pagehide', keep)
      keep()
    }
  }, [region, storageKey])
  return place
}

/** Scrolls to a place once the page is on the screen with its turns. */
export function ReturnToPlace({ place, hasTurns }: { place: Place | null; hasTurns: boolean }) {
  const isReady = use(OnScreenContext) && hasTurns
  const isDone = useRef(false)
  useEffect(() => {
    if (!isReady || isDone.current || place === null) return
    isDone.current = true
    const turn = document.getElementById(place.id)
    if (turn !== null) goToPlace(turn, place.top)
  }, [isReady, place])
  return null
}

function placeIn(region: HTMLElement | null): Place | null {
  if (region === null || region.getBoundingClientRect().bottom - window.innerHeight < atEndPx) {
    return null
  }
  const turns = region.querySelectorAll<HTMLElement>('.turn[id]')
  for (const turn of turns) {
    if (turn.getBoundingClientRect().bottom > 0) return { id: turn.id, top: topOf(turn) }
  }
  return null
}

/** An address that is opened again has the key of the first page of an earlier visit. */
function readPlace(text: string | null): Place | null {
  if (text === null) return null
  const { id, top, visit }: Partial<Record<keyof Place | 'visit', unknown>> = JSON.parse(text)
  if (visit !== performance.timeOrigin && !isLoadedAgain()) return null
  return typeof id === 'string' && typeof top === 'number' ? { id, top } : null
}

/** Whether the browser loaded the page again, or returned to it. */
function isLoadedAgain(): boolean {
  const [load] = performance.getEntriesByType('navigation')
  return load instanceof PerformanceNavigationTiming && load.type !== 'navigate'
}

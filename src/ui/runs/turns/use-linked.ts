import { use } from 'react'
import { useLocation } from 'react-router'
import { OnScreenContext } from '../../states/together.tsx'
import { goToPlace } from './go-to-place.ts'

/**
 * The ref of an element that the address may name: it scrolls there once the page is on the screen.
 * Before, the page is drawn hidden, and nothing in it has a place.
 */
export function useLinked(id: string): ((element: HTMLElement | null) => void) | null {
  const isOnScreen = use(OnScreenContext)
  const isLinked = useLocation().hash === `#${id}`
  return isLinked && isOnScreen ? scrollHere : null
}

function scrollHere(element: HTMLElement | null): void {
  if (element !== null) goToPlace(element, 'center')
}

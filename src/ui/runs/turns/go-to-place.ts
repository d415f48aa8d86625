/** Frames in which the turns around a place are drawn, and may get another height. */
const settlingFrames = 4

/**
 * Scrolls to an element of a long page: to its start, its middle, or so that its top is `at`
 * pixels below the top of the screen. Turns that are not on the screen have an estimated height, so
 * the element is scrolled to again once those around it are drawn.
 */
export function goToPlace(element: HTMLElement, at: 'start' | 'center' | number): void {
  let left = settlingFrames
  const scroll = (): void => {
    if (typeof at === 'string') element.scrollIntoView({ block: at, behavior: 'instant' })
    else window.scrollBy({ top: topOf(element) - at, behavior: 'instant' })
    left -= 1
    if (left > 0 && element.isConnected) requestAnimationFrame(scroll)
  }
  scroll()
}

/** The distance of the element from the top of the screen, in pixels. */
export function topOf(element: HTMLElement): number {
  return element.getBoundingClientRect().top
}

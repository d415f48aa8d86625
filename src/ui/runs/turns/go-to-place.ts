/** Frames in which the turns around a place are drawn, and may get another height. */
const settlingFrames = 4

/**
 * Scrolls to an element of a long page: to its start, its middle, or until its top is so many
 * pixels below that of the screen. Turns that are not on the screen have an estimated height, so
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

/** In pixels below the top of the screen. */
export function topOf(element: HTMLElement): number {
  return element.getBoundingClientRect().top
}

/** The heads of files and calls, which stay below the header of the page. */
const stickyHead = '.file-head, .change-call-head'

/**
 * Tells the style sheet how high a head is. Of one with a name of many lines, only the end stays on
 * the screen.
 */
export function measureHead(head: HTMLElement | null): (() => void) | undefined {
  if (head === null) return undefined
  const observer = new ResizeObserver(() =>
    head.style.setProperty('--head-height', `${head.offsetHeight}px`),
  )
  observer.observe(head)
  return () => observer.disconnect()
}

/** Where an element is visible from on the page: below the header, and below a head over it. */
export function visibleFrom(element: HTMLElement): number {
  const header = document.querySelector('.header')?.getBoundingClientRect().bottom ?? 0
  const around = element.closest('.change-call') ?? element
  return [...around.querySelectorAll(stickyHead)].reduce((from, head) => {
    const { top, bottom } = head.getBoundingClientRect()
    // A head that does not touch the header stands at its own place, and covers nothing.
    return top <= header + 1 ? Math.max(from, bottom) : from
  }, header)
}

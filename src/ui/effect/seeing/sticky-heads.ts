/** The heads of files and calls on the page, which stay below its header. */
const heads = new Set<HTMLElement>()

/**
 * Tells the style sheet how high a head is: of one with a name of many lines, only the end stays on
 * the screen. `visibleFrom` knows it until it is removed.
 */
export function measureHead(head: HTMLElement | null): (() => void) | undefined {
  if (head === null) return undefined
  heads.add(head)
  const observer = new ResizeObserver(() =>
    head.style.setProperty('--head-height', `${head.offsetHeight}px`),
  )
  observer.observe(head)
  return () => {
    heads.delete(head)
    observer.disconnect()
  }
}

/** Where the header of the page ends on the screen. */
export function headerBottom(): number {
  return document.querySelector('.header')?.getBoundingClientRect().bottom ?? 0
}

/** Where an element is visible from on the page: below the header, and below a head over it. */
export function visibleFrom(element: HTMLElement): number {
  const header = headerBottom()
  const around = element.closest('.change-call') ?? element
  return [...heads].reduce((from, head) => {
    if (!around.contains(head)) return from
    const { top, bottom } = head.getBoundingClientRect()
    // A head that does not touch the header stands at its own place, and covers nothing.
    return top <= header + 1 ? Math.max(from, bottom) : from
  }, header)
}

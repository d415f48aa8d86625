/** The parts of a page, of which the nearest one takes the focus of a control that is removed. */
const parts = 'li, article, section, aside, search, form, main'

/** What has the focus, the parts around it from the inside out, and the page that it is on. */
interface FocusPlace {
  readonly element: HTMLElement | SVGElement
  readonly around: readonly HTMLElement[]
  readonly pathname: string
}

/** A page that gives the focus to a better place does so within this time. */
const waitMs = 100

/**
 * Keeps the focus in `region`. When the control that has it is removed and nothing else takes it,
 * the nearest part that is left does, at its heading. A control that was disabled while it waited
 * for an answer gets it back. A person who puts the focus nowhere, as by a click, leaves it there.
 * Returns a function that ends it.
 */
export function keepFocus(region: HTMLElement): () => void {
  let focused: FocusPlace | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const onFocus = ({ target }: FocusEvent): void => {
    const isElement = target instanceof HTMLElement || target instanceof SVGElement
    focused = isElement && region.contains(target) ? focusedAt(target) : null
  }
  const onBlur = ({ relatedTarget }: FocusEvent): void => {
    const before = focused
    if (relatedTarget !== null || before === null) return
    // An element that is removed loses the focus before it is gone.
    setTimeout(() => {
      if (focused === before && isLost() && isUsable(before.element)) focused = null
    })
  }
  // A click on the page while nothing has the focus.
  const onPointer = (): void => {
    if (isLost()) focused = null
  }
  const restore = (): void => {
    timer = undefined
    if (focused === null || !isLost()) return
    const { element, around, pathname } = focused
    // Another page has a headline, which takes the focus.
    if (pathname !== window.location.pathname) focused = null
    else if (isUsable(element)) give(element)
    else if (!element.isConnected) {
      const place = around.find((part) => part.isConnected)
      if (place !== undefined) give(headingOf(place))
    }
  }
  const observer = new MutationObserver(() => {
    if (focused === null || !isLost()) return
    timer ??= setTimeout(restore, waitMs)
  })
  document.addEventListener('focusin', onFocus)
  document.addEventListener('focusout', onBlur)
  document.addEventListener('pointerdown', onPointer)
  observer.observe(region, { childList: true, subtree: true, attributeFilter: ['disabled'] })
  return () => {
    clearTimeout(timer)
    observer.disconnect()
    document.removeEventListener('focusin', onFocus)
    document.removeEventListener('focusout', onBlur)
    document.removeEventListener('pointerdown', onPointer)
  }
}

function focusedAt(element: FocusPlace['element']): FocusPlace {
  const around: HTMLElement[] = []
  for (let part = element.parentElement?.closest<HTMLElement>(parts); part;) {
    around.push(part)
    part = part.parentElement?.closest<HTMLElement>(parts)
  }
  return { element, around, pathname: window.location.pathname }
}

function isLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}

function isUsable(element: Element): boolean {
  return element.isConnected && !element.matches(':disabled')
}

/** The heading that names a part, or the part itself. */
function headingOf(part: HTMLElement): HTMLElement {
  if (part.tagName === 'MAIN') return part.querySelector('h1') ?? part
  return document.getElementById(part.getAttribute('aria-labelledby') ?? '') ?? part
}

function give(element: FocusPlace['element']): void {
  if (element.tabIndex < 0) element.tabIndex = -1
  element.focus({ preventScroll: true })
}

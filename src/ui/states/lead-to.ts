/** Brings an element that can have the focus into the visible part of the page, and focuses it. */
export function leadTo(element: HTMLElement | null | undefined): void {
  element?.scrollIntoView({ block: 'center' })
  element?.focus({ preventScroll: true })
}

/** Moves the focus to the headline of the page, without scrolling. */
export function focusHeadline(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
}

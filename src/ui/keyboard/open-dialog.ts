/** An open dialog. A closed sheet stays in the page with its fields, so `put-away` excludes it. */
const openDialog = '[aria-modal="true"]:not(.put-away *)'

/**
 * Whether a dialog covers the page, or with `or` something else that a selector names. What holds
 * the element `within` does not cover it.
 */
export function isDialogOpen(or?: string, within: Element | null = null): boolean {
  const all = document.querySelectorAll(or === undefined ? openDialog : `${openDialog}, ${or}`)
  return [...all].some((one) => !one.contains(within))
}

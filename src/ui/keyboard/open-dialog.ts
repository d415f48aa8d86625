/** An open dialog. A closed sheet stays in the page with its fields, so `put-away` excludes it. */
const openDialog = '[aria-modal="true"]:not(.put-away *)'

/** Whether a dialog covers the page, or with `or` something else that a selector names. */
export function isDialogOpen(or?: string): boolean {
  return document.querySelector(or === undefined ? openDialog : `${openDialog}, ${or}`) !== null
}

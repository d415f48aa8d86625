/**
 * Scrolls to a line that `within` shows and sets the focus on it. `line` counts from 1 in
 * `content`; in the table of a difference it is the row of the new file's line, and
 * in that of fields the row of the field.
 */
export function showLine(within: ParentNode, line: number, content: string): void {
  const row = `[data-change-key="I${newLineOf(content, line)}"]`
  const find = () =>
    within.querySelector<HTMLElement>(`[data-field-line="${line}"]`) ??
    within.querySelector<HTMLElement>(`[data-line="${line}"]`) ??
    within.querySelector<HTMLElement>(row) ??
    within.querySelector<HTMLElement>('.code, .diff-box')
  showOnceDrawn(within, find, 'center')
}

/**
 * The number that the page shows at a line of the presentation. In a difference it is the line's
 * number in the new file, and `null` for lines that the new file does not have.
 */
export function shownLine(content: string, line: number): number | null {
  if (!/^@@ -\d/m.test(content)) return line
  const number = newLineOf(content, line)
  return number === 0 ? null : number
}

/**
 * Scrolls to a file and sets the focus on it: on its part of a difference, or else on its entry
 * among the named files of a command, or else on all of `within`.
 */
export function showFile(within: ParentNode, file: string): void {
  const ofFile = `[data-file="${CSS.escape(file)}"]`
  const find = () =>
    within.querySelector<HTMLElement>(ofFile) ??
    document.querySelector<HTMLElement>(`.named-file${ofFile}`) ??
    within.querySelector<HTMLElement>('.file, .code, .diff-box')
  showOnceDrawn(within, find, 'start')
}

/** After this time a difference that has not loaded no longer takes the focus. */
const maxWaitMs = 5_000

/** A cue can be followed before the difference that it is about has loaded. */
function showOnceDrawn(
  within: ParentNode,
  find: () => HTMLElement | null,
  block: ScrollLogicalPosition,
): void {
  const place = find()
  if (place !== null) return show(place, block)
  const observer = new MutationObserver(() => {
    const target = find()
    if (target === null) return
    observer.disconnect()
    show(target, block)
  })
  observer.observe(within, { childList: true, subtree: true })
  setTimeout(() => observer.disconnect(), maxWaitMs)
}

function show(place: HTMLElement, block: ScrollLogicalPosition): void {
  place.scrollIntoView({ block })
  place.tabIndex = -1
  place.focus({ preventScroll: true })
}

/** The line number in the new file of a line of a unified diff; 0 if it is not in the new file. */
function newLineOf(content: string, line: number): number {
  let number = 0
  for (const [index, text] of content.split('\n', line).entries()) {
    const [, start] = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(text) ?? []
    if (start !== undefined) number = Number(start) - 1
    else if (text.startsWith('+') || text.startsWith(' ')) number += 1
    if (index === line - 1) return text.startsWith('+') ? number : 0
  }
  return 0
}

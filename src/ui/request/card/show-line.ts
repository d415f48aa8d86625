/**
 * Brings a line of what `within` shows onto the screen, and the focus there. `line` counts from 1
 * in `content`; in a table of a diff the row of the new file's line is it.
 */
export function showLine(within: ParentNode, line: number, content: string): void {
  const row = `[data-change-key="I${newLineOf(content, line)}"]`
  const place =
    within.querySelector<HTMLElement>(`[data-line="${line}"]`) ??
    within.querySelector<HTMLElement>(row) ??
    within.querySelector<HTMLElement>('.code, .diff-box')
  if (place !== null) show(place, 'center')
}

/**
 * Brings a file onto the screen, and the focus there: its part of a difference, else its entry
 * among the files that a command names, else what `within` shows.
 */
export function showFile(within: ParentNode, file: string): void {
  const ofFile = `[data-file="${CSS.escape(file)}"]`
  const place =
    within.querySelector<HTMLElement>(ofFile) ??
    document.querySelector<HTMLElement>(`.named-file${ofFile}`) ??
    within.querySelector<HTMLElement>('.file, .code, .diff-box')
  if (place !== null) show(place, 'start')
}

function show(place: HTMLElement, block: ScrollLogicalPosition): void {
  place.scrollIntoView({ block })
  place.tabIndex = -1
  place.focus({ preventScroll: true })
}

/** The number that a line of a unified diff has in the new file; 0 when it is in none. */
export function newLineOf(content: string, line: number): number {
  let number = 0
  for (const [index, text] of content.split('\n', line).entries()) {
    const [, start] = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(text) ?? []
    if (start !== undefined) number = Number(start) - 1
    else if (text.startsWith('+') || text.startsWith(' ')) number += 1
    if (index === line - 1) return text.startsWith('+') ? number : 0
  }
  return 0
}

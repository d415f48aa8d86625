/**
 * Scrolls to a line that `within` shows and sets the focus on it. `line` counts from 1 in
 * `content`; in the table of a difference it is the row of the new file's line.
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
 * The number that the page shows at a line of the presentation: in a difference it is that of the
 * new file's line; `null` for its other lines.
 */
export function shownLine(content: string, line: number): number | null {
  if (!/^@@ -\d/m.test(content)) return line
  const number = newLineOf(content, line)
  return number === 0 ? null : number
}

/**
 * Scrolls to a file and sets the focus on it: its part of a difference, else its entry among the
 * named files of a command, else all that `within` shows.
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

/** The line number in the new file of a line of a unified diff; 0 if it is not in the new file. */
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

import { ToolProblem } from '#domain/tools/tool-problem.ts'

/** One replacement: `find` must occur exactly once in the text as it then is. */
export interface TextEdit {
  readonly find: string
  readonly replace: string
}

/**
 * Applies edits in order, each to the result of the ones before. Pure. Throws `ToolProblem` that
 * names the edit when its `find` occurs never or more than once, overlapping occurrences counted.
 */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let current = text
  for (const [index, { find, replace }] of edits.entries()) {
    const at = current.indexOf(find)
    const which = `Edit ${index + 1} of ${edits.length}`
    if (at === -1) {
      throw new ToolProblem(`${which}: the text to find does not occur in the file as it then is.`)
    }
    const again = current.indexOf(find, at + 1)
    if (again !== -1) {
      throw new ToolProblem(
        `${which}: the text to find occurs more than once (on lines ${lineOf(current, at)} and ${lineOf(current, again)}, at least); give more of its surroundings.`,
      )
    }
    current = current.slice(0, at) + replace + current.slice(at + find.length)
  }
  return current
}

function lineOf(text: string, at: number): number {
  let line = 1
  for (
    let next = text.indexOf('\n');
    next !== -1 && next < at;
    next = text.indexOf('\n', next + 1)
  ) {
    line += 1
  }
  return line
}

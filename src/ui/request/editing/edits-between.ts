import { structuredPatch } from 'diff'

/** One replacement as the tool `edit_file` takes it: `find` occurs once when its turn comes. */
export type FileEdit = {
  find: string
  replace: string
}

/** Lines of surroundings that make a place unique; the last one is the whole file. */
const contexts = [1, 3, 10, 40, Number.MAX_SAFE_INTEGER]

/**
 * Edits that make one text into another, each with as much of its surroundings as makes it unique.
 * `null`: they are equal, or the old text is empty. Pure.
 */
export function editsBetween(before: string, after: string): FileEdit[] | null {
  if (before === after || before === '') return null
  for (const context of contexts) {
    const edits = editsWith(before, after, context)
    if (edits !== null && applyEdits(before, edits) === after) return edits
  }
  return [{ find: before, replace: after }]
}

function editsWith(before: string, after: string, context: number): FileEdit[] | null {
  const patch = structuredPatch('a', 'b', before, after, '', '', { context, timeout: 1_000 })
  return (
    patch?.hunks.map(({ lines }) => ({
      find: side(lines, '-'),
      replace: side(lines, '+'),
    })) ?? null
  )
}

/** The text of one side of a hunk; a line before `\` ends without a line feed. */
function side(lines: readonly string[], sign: '-' | '+'): string {
  return lines
    .map((line, index) =>
      line.startsWith(sign) || line.startsWith(' ')
        ? `${line.slice(1)}${lines[index + 1]?.startsWith('\\') ? '' : '\n'}`
        : '',
    )
    .join('')
}

/** The text after the edits; `null` when one of them does not find one place alone. */
function applyEdits(text: string, edits: readonly FileEdit[]): string | null {
  let current = text
  for (const { find, replace } of edits) {
    const at = find === '' ? -1 : current.indexOf(find)
    if (at === -1 || current.indexOf(find, at + 1) !== -1) return null
    current = current.slice(0, at) + replace + current.slice(at + find.length)
  }
  return current
}

import { structuredPatch } from 'diff'

/** One replacement of the tool `edit_file`. `find` must occur exactly once when it is applied. */
export type FileEdit = {
  find: string
  replace: string
}

/** The numbers of context lines to try until a place is unique; the last one is the whole file. */
const contexts = [1, 3, 10, 40, Number.MAX_SAFE_INTEGER]

/**
 * The edits that change one text into another, each with enough context to be unique. `null`: the
 * texts are equal, or the old one is empty. Pure.
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

/** The text of one side of a hunk. A line before `\` has no line feed. */
function side(lines: readonly string[], sign: '-' | '+'): string {
  return lines
    .map((line, index) =>
      line.startsWith(sign) || line.startsWith(' ')
        ? `${line.slice(1)}${lines[index + 1]?.startsWith('\\') ? '' : '\n'}`
        : '',
    )
    .join('')
}

/** The text after the edits; `null` if one of them does not match exactly one place. */
function applyEdits(text: string, edits: readonly FileEdit[]): string | null {
  let current = text
  for (const { find, replace } of edits) {
    const at = find === '' ? -1 : current.indexOf(find)
    if (at === -1 || current.indexOf(find, at + 1) !== -1) return null
    current = current.slice(0, at) + replace + current.slice(at + find.length)
  }
  return current
}

import type { Line } from './read-line.ts'

/**
 * A key as it was pressed: `text` is what it writes, empty for keys that write nothing. Pasted text
 * is one key with the name `paste`.
 */
export interface Key {
  readonly name: string
  readonly text: string
  readonly ctrl: boolean
}

/**
 * The pieces of a line that was typed before its editor was open. Backspace, Ctrl-W and Ctrl-U
 * erase as in the editor, so that nothing is sent that the person has erased.
 */
export function typedAhead(pressed: readonly Key[]): Line[] {
  const pieces: Line[] = []
  for (const { name, ctrl, text } of pressed) {
    if (name === 'backspace') erase(pieces, 1)
    else if (ctrl && name === 'u') pieces.length = 0
    else if (ctrl && name === 'w') erase(pieces, lastWordOf(pieces))
    else if (text !== '') pieces.push({ text, isPasted: name === 'paste' })
  }
  return pieces
}

function lastWordOf(pieces: readonly Line[]): number {
  const line = pieces.map(({ text }) => text).join('')
  return [...(/\S*\s*$/.exec(line)?.[0] ?? '')].length
}

/** Erases so many characters at the end. */
function erase(pieces: Line[], count: number): void {
  for (let left = count; left > 0; left -= 1) {
    const last = pieces.pop()
    if (last === undefined) return
    const text = [...last.text].slice(0, -1).join('')
    if (text !== '') pieces.push({ ...last, text })
  }
}

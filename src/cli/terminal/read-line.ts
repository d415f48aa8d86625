import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { withLineBreaks, withoutKeys } from './pasted-text.ts'

/** A line that a person wrote, or a piece of one. Pasted text may have line breaks. */
export interface Line {
  readonly text: string
  /** it begins with pasted text, so it is no command */
  readonly isPasted: boolean
}

/**
 * Lets a person edit a line that begins with `pieces`. `onPaste` receives the function that inserts
 * what is pasted meanwhile. `null`: Ctrl-C or Ctrl-D, or nothing was written.
 */
export async function readLine(
  keys: Readable,
  pieces: readonly Line[],
  onPaste: (insert: (text: string) => void) => void,
): Promise<Line | null> {
  const lines = createInterface({
    input: keys,
    output: process.stdout,
    prompt: '> ',
    terminal: true,
  })
  const read = Promise.withResolvers<string | null>()
  lines.once('line', read.resolve)
  lines.once('SIGINT', () => read.resolve(null))
  lines.once('close', () => read.resolve(null))
  lines.prompt()
  let isPasted = false
  const insert = (piece: Line): void => {
    if (lines.cursor === 0 && piece.text !== '') isPasted = piece.isPasted
    lines.write(piece.text)
  }
  for (const piece of pieces) insert(piece)
  onPaste((text) => insert({ text, isPasted: true }))
  const whole = await read.promise
  lines.close()
  const line = whole === null ? null : withoutKeys(whole)
  if (line === null) process.stdout.write('\n')
  return line === null || line.trim() === '' ? null : { text: withLineBreaks(line), isPasted }
}

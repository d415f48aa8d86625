import type { CommandOutputPart } from '#domain/runs/ui-part.ts'

/** The number of characters of a stream that are kept, more than are drawn. */
const keptCharacters = 64 * 1024

/** The newest output of one stream of a running command. */
export interface OutputSoFar {
  readonly attempt: number
  /** offset in the stream, in bytes */
  readonly start: number
  readonly end: number
  readonly text: string
  readonly pieces: readonly Piece[]
  /** the outcome of the command is not known */
  readonly lost: boolean
}

type Piece = Pick<CommandOutputPart['data'], 'start' | 'text'>

/** The output after another part: of another attempt, or after a gap, it replaces the rest. */
export function afterOutput(
  commandOutput: ReadonlyMap<string, OutputSoFar>,
  { data, id }: CommandOutputPart,
): ReadonlyMap<string, OutputSoFar> {
  const before = commandOutput.get(id)
  const { attempt, end, lost, start, text } = data
  const isNext = before?.attempt === attempt && before.end === start
  const pieces = [...(isNext ? before.pieces : []), ...(text === '' ? [] : [{ start, text }])]
  let length = pieces.reduce((sum, piece) => sum + piece.text.length, 0)
  while (pieces.length > 1 && length > keptCharacters) length -= pieces.shift()?.text.length ?? 0
  const output: OutputSoFar = {
    attempt,
    start: pieces[0]?.start ?? end,
    end,
    text: pieces.map((piece) => piece.text).join(''),
    pieces,
    lost,
  }
  return new Map(commandOutput).set(id, output)
}

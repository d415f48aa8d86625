import type { CommandOutputPart } from '#domain/runs/ui-part.ts'

/** Characters of a stream that are kept: more than is drawn. */
const keptCharacters = 64 * 1024

/** What one stream of a running command has printed, as far back as it is kept. */
export interface OutputSoFar {
  readonly attempt: number
  /** of the stream, in bytes */
  readonly start: number
  readonly end: number
  readonly text: string
  readonly pieces: readonly Piece[]
  /** nobody knows how it ended */
  readonly lost: boolean
}

type Piece = Pick<CommandOutputPart['data'], 'start' | 'text'>

/**
 * What is printed once another part arrived: of another attempt, or behind a gap, it begins anew.
 */
export function afterOutput(
  printed: ReadonlyMap<string, OutputSoFar>,
  { data, id }: CommandOutputPart,
): ReadonlyMap<string, OutputSoFar> {
  const before = printed.get(id)
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
  return new Map(printed).set(id, output)
}

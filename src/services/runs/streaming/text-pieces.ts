const pieceCharacters = 400

/**
 * A text in pieces that end behind a word where they can, so that a text which was stored at once
 * comes like one that is being written.
 */
export function textPieces(text: string): readonly string[] {
  if (text === '') return []
  const most = Math.max(1, Math.min(pieceCharacters, Math.ceil(text.length / 16)))
  const pieces: string[] = []
  let start = 0
  while (start < text.length) {
    const space = text.slice(start + most, start + 2 * most).search(/\s/)
    const end = start + most + (space === -1 ? most : space + 1)
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}

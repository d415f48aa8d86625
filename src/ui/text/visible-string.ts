import { linePieces } from '#domain/text/line-pieces.ts'

/**
 * Text from outside where only a string can stand: what cannot be seen is named in brackets, and
 * line ends are spaces. Pure.
 */
export function visibleString(text: string): string {
  return linePieces(text.replaceAll(/[\r\n]+/g, ' '), false)
    .map((piece) => {
      if (piece.kind === 'text') return piece.text
      return piece.kind === 'blanks' ? ' ' : `[${piece.label}]`
    })
    .join('')
}

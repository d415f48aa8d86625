import { linePieces } from '#domain/text/line-pieces.ts'

/**
 * Untrusted text as a string: invisible characters are named in brackets, and line ends become
 * spaces. Pure.
 */
export function visibleString(text: string): string {
  return linePieces(text.replaceAll(/[\r\n]+/g, ' '), false)
    .map((piece) => {
      if (piece.kind === 'text') return piece.text
      return piece.kind === 'blanks' ? ' ' : `[${piece.label}]`
    })
    .join('')
}

import { type LinePiece, linePieces } from '#domain/text/line-pieces.ts'
import { labelOf } from '#domain/text/visible-text.ts'

/**
 * Untrusted text for a terminal: everything but printable characters, newline and tab
 * becomes a mark such as `⟦U+001B ESC⟧`; blanks at the end of a line and long runs of them are
 * shown (security.md 17).
 */
export function printable(text: string): string {
  return text.split('\n').map(printablePieces).join('\n')
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '⏎').replaceAll('\t', '⇥')
}

function printablePieces(line: string): string {
  return linePieces(line).map(printablePiece).join('')
}

function printablePiece(piece: LinePiece): string {
  switch (piece.kind) {
    case 'text':
      // A text that contains the marks gets a mark for each, so that it cannot forge one.
      return piece.text.replaceAll(/[⟦⟧]/g, (mark) => `⟦${labelOf(mark)}⟧`)
    case 'chip':
      return piece.reason === 'look-alike' ? `⟦${piece.text} ${piece.label}⟧` : `⟦${piece.label}⟧`
    case 'blanks':
      return blanks(piece)
  }
}

function blanks(piece: Extract<LinePiece, { kind: 'blanks' }>): string {
  if (piece.text.includes('\t')) return `⟦${piece.count} blanks with tabs⟧`
  return piece.trailing && piece.count < 5 ? '·'.repeat(piece.count) : `⟦${piece.count} spaces⟧`
}

import { linePieces } from '#domain/text/line-pieces.ts'
import { labelOf } from '#domain/text/visible-text.ts'

/**
 * Puts text of others on one line of a mail. Invisible characters are named (`⟦U+202E …⟧`),
 * trailing blanks and long runs of blanks are counted, and text over `maxCharacters` characters is
 * cut with the count of the rest (security.md 17). Pure.
 */
export function mailLine(text: string, maxCharacters: number): string {
  const line = text.replaceAll('\t', ' ').split('\n').map(withVisibleBlanks).join('⏎')
  const characters = [...line]
  if (characters.length <= maxCharacters) return line
  return `${characters.slice(0, maxCharacters).join('')}… (${characters.length - maxCharacters} more characters)`
}

function withVisibleBlanks(line: string): string {
  return linePieces(line)
    .map((piece) => {
      if (piece.kind === 'text') return piece.text
      if (piece.kind === 'chip') return `⟦${labelOf(piece.text)}⟧`
      return piece.trailing || piece.count > 40 ? `⟦${piece.count} blanks⟧` : piece.text
    })
    .join('')
}

/** Escapes text for HTML so that no mail program makes a link of it (security.md 18). */
export function mailHtml(text: string): string {
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
  // Break opportunities inside what looks like an address: mail programs make no link across them.
  return escaped.replaceAll(/[./:@](?=[^\s])/g, '$&<wbr>')
}

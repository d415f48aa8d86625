import { linePieces } from '#domain/text/line-pieces.ts'
import { labelOf } from '#domain/text/visible-text.ts'

/**
 * Text of somebody else's on one line of a mail: what an eye would miss is named, `⟦U+202E …⟧`,
 * blanks at the end and long runs of them are shown, and what is over `most` characters is cut with
 * their count (security.md 17). Pure.
 */
export function mailLine(text: string, most: number): string {
  const line = text.replaceAll('\t', ' ').split('\n').map(withVisibleBlanks).join('⏎')
  const characters = [...line]
  if (characters.length <= most) return line
  return `${characters.slice(0, most).join('')}… (${characters.length - most} more characters)`
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

/** For HTML: text alone, of which no mail program makes a link (security.md 18). */
export function mailHtml(text: string): string {
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
  // A break that may be taken within what looks like an address: mail programs make no link across
  // one.
  return escaped.replaceAll(/[./:@](?=[^\s])/g, '$&<wbr>')
}

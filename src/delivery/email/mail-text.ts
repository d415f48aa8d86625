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

/**
 * A mail as HTML, at most 600 pixels wide, in the reader's font and the colours of the mail
 * program, light or dark. `parts` are HTML of the service, in which texts of others are escaped.
 */
export function mailPage(...parts: readonly string[]): string {
  const style = 'max-width:600px;font-family:system-ui,sans-serif;font-size:16px;line-height:1.5'
  const body = `<div lang="en" dir="ltr" style="${style}">${parts.join('')}</div>`
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head><body>${body}</body></html>`
}

/** The subject of the mail, as its headline. */
export function mailHeadline(html: string): string {
  return `<p style="margin:0 0 16px;font-size:20px;line-height:1.3"><strong>${html}</strong></p>`
}

/** The link that is the purpose of a mail, large enough to touch. */
export function mailButton(url: string, words: string): string {
  const style =
    'display:inline-block;padding:12px 20px;border-radius:4px;background:#3b49b8;color:#ffffff;font-weight:600;text-decoration:none'
  return `<p style="margin:24px 0"><a href="${url}" style="${style}">${words}</a></p>`
}

/** Escapes text for HTML so that no mail program makes a link of it (security.md 18). */
export function mailHtml(text: string): string {
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
  // Line-break marks in what looks like an address: mail programs make no link across them.
  return escaped.replaceAll(/[./:@](?=[^\s])/g, '$&<wbr>')
}

import { visibleText } from '#domain/text/visible-text.ts'

/** Slack's limit for one text, in characters. */
export const maxTextLength = 3000

/**
 * A text that Slack shows unchanged: no markup, mentions or emoji. Invisible characters are
 * replaced by their names.
 */
export interface PlainText {
  readonly type: 'plain_text'
  readonly text: string
  readonly emoji: false
}

/**
 * One line of text that Slack does not format, cut to `maxLength` characters. A line break of the
 * call is shown as ⏎: it begins no line that reads like ours.
 */
export function plainText(text: string, maxLength: number = maxTextLength): PlainText {
  const line = visible(text).replaceAll('\n', '⏎')
  return { type: 'plain_text', text: cut(line, maxLength), emoji: false }
}

/** Replaces characters that are invisible, or look like others, by their names (security.md 17). */
export function visible(text: string): string {
  return visibleText(text)
    .map((piece) => (piece.kind === 'text' ? piece.text : `[${piece.label}]`))
    .join('')
}

/**
 * Escapes the notification line, the only text that Slack reads as markup: no entity, link or
 * mention can begin in it.
 */
export function escapeText(text: string): string {
  return visible(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/**
 * A text in pieces of at most `maxLength` characters, with nothing left out. A piece ends with a
 * line, or between two characters of a line that is longer than half a piece: half a character
 * would be shown as another one. Pure.
 */
export function piecesOf(text: string, maxLength: number): string[] {
  const pieces: string[] = []
  let rest = text
  while (rest.length > maxLength) {
    const lineEnd = rest.lastIndexOf('\n', maxLength - 1) + 1
    const whole = rest.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')
    const piece = lineEnd * 2 > maxLength ? rest.slice(0, lineEnd) : whole
    pieces.push(piece)
    rest = rest.slice(piece.length)
  }
  return rest === '' ? pieces : [...pieces, rest]
}

/** Cuts to `maxLength` characters; never returns an empty text, which Slack refuses. */
function cut(text: string, maxLength: number): string {
  if (text.trim() === '') return '–'
  if (text.length <= maxLength) return text
  return `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

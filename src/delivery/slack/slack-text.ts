import { visibleText } from '#domain/text/visible-text.ts'

/** Slack's bound of one text is 3,000 characters. */
export const maxTextLength = 3000

/**
 * A text that Slack shows as it is: no markup, no mentions, no emoji; what cannot be seen is named
 * in place.
 */
export interface PlainText {
  readonly type: 'plain_text'
  readonly text: string
  readonly emoji: false
}

export function plainText(text: string, most: number = maxTextLength): PlainText {
  return { type: 'plain_text', text: cut(visible(text), most), emoji: false }
}

/** Characters that cannot be seen, or pass for others, by their names (security.md 17). */
export function visible(text: string): string {
  return visibleText(text)
    .map((piece) => (piece.kind === 'text' ? piece.text : `[${piece.label}]`))
    .join('')
}

/**
 * For the one text that Slack reads as markup, the line of its notification: no entity, link or
 * mention begins in it.
 */
export function escaped(text: string): string {
  return visible(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Empty texts are refused by Slack. */
function cut(text: string, most: number): string {
  if (text.trim() === '') return '–'
  if (text.length <= most) return text
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

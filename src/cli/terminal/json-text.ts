import { hiddenReason } from '#domain/text/visible-text.ts'

/**
 * A value as JSON that a terminal shows as it is: what cannot be seen, or would control the
 * terminal, is escaped (`\u202e`), also what `JSON.stringify` leaves alone. Programs read the same
 * value (security.md 17).
 */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(unseen, (character) =>
    hiddenReason(character) === null ? character : escapeOf(character),
  )
}

/** The characters that may need an escape, all of them in strings; `hiddenReason` decides. */
const unseen = /[^\x20-\x7e\n]/gu

function escapeOf(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')
}

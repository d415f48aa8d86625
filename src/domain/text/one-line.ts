/**
 * A text as one line of at most `maxCharacters` characters, with a mark where it was cut; control
 * characters and line ends become spaces. Reads no further than needed. Pure.
 */
export function oneLine(text: string, maxCharacters: number): string {
  const flat = text
    .slice(0, maxCharacters * 8)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  const characters = Array.from(flat)
  if (characters.length <= maxCharacters) return flat
  return `${characters.slice(0, maxCharacters - 1).join('')}…`
}

/**
 * A model's text for a `text` column: Postgres accepts no NUL and no lone surrogate. `content` has
 * the exact text; this is for names and outputs that are shown.
 */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

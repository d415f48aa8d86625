/**
 * A model's text as a `text` column can hold it: Postgres takes no NUL and no lone surrogate. The
 * exact text is in `content`; this is for names and outputs that are shown.
 */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

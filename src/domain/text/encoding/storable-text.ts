/** A text that Postgres can store: it accepts no NUL and no lone surrogate. Pure. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

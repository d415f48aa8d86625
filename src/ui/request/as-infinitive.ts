/**
 * "Edit notes/1.2.md" within a sentence; a title that does not begin with a plain verb stays as it
 * is. Pure.
 */
export function asInfinitive(title: string): string {
  return /^[A-Z][a-z]+ /.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title
}

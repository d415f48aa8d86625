/** A text as it is; empty for any other value. */
export function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

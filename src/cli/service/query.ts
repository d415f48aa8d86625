/** A query string of the fields that are given, or nothing. */
export function query(fields: Readonly<Record<string, string | undefined>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) search.set(name, value)
  }
  return search.size === 0 ? '' : `?${search.toString()}`
}

/** Whether a text has the form of a UUID that Postgres accepts, of any version. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
}

/** Whether a value is an id as the database writes it. Postgres also reads one in capitals. */
export function isStoredId(id: unknown): id is string {
  return typeof id === 'string' && isUuid(id) && id === id.toLowerCase()
}

/** Whether a text has the form of the short number of a request or run. */
export function isShortNumber(text: string): boolean {
  return /^[1-9][0-9]{0,14}$/.test(text)
}

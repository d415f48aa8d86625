/** Whether a text has the form of a UUID that Postgres accepts, of any version. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
}

/** Whether a text has the form of the short number of a request or run. */
export function isShortNumber(text: string): boolean {
  return /^[1-9][0-9]{0,14}$/.test(text)
}

/** The members that were given, for verbs whose optional fields are absent rather than undefined. */
export function withoutUndefined<T extends object>(
  value: T,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  const given = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(given) as { [K in keyof T]: Exclude<T[K], undefined> }
}

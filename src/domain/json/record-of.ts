/** A record with a value for each of these names. */
export function recordOf<Name extends string, Value>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): Record<Name, Value> {
  const entries = names.map((name) => [name, valueOf(name)] as const)
  // Each name has its entry, which the type of `fromEntries` does not express.
  return Object.fromEntries(entries) as Record<Name, Value>
}

/**
 * An opaque cursor for keyset pagination: the order it belongs to, and the keys of the last row as the database wrote
 * them (a timestamp as text keeps its microseconds).
 */
export function encodeCursor(order: string, keys: readonly string[]): string {
  return Buffer.from(JSON.stringify([order, ...keys]), 'utf8').toString('base64url')
}

/** The keys in a cursor of this order, `count` of them; `null` for anything else. */
export function decodeCursor(
  cursor: string,
  order: string,
  count: number,
): readonly string[] | null {
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return null
  }
  if (!Array.isArray(parts) || parts.length !== count + 1 || parts[0] !== order) return null
  const keys = parts.slice(1)
  return keys.every(
    (key): key is string => typeof key === 'string' && /^[\w .:+-]{1,64}$/.test(key),
  )
    ? keys
    : null
}

import { parseJson } from '#domain/json/parse-json.ts'

/** The kind of a cursor's key. Casts of all but `text` must not fail on forged ones. */
export type CursorKey = 'instant' | 'id' | 'number' | 'signed' | 'text'

/**
 * Makes an opaque cursor for keyset pagination from the name of the order and the keys of the last
 * row. Keys are the database's text, since a timestamp as text keeps its microseconds.
 */
export function encodeCursor(order: string, keys: readonly string[]): string {
  return Buffer.from(JSON.stringify([order, ...keys]), 'utf8').toString('base64url')
}

/** The keys in a cursor of this order; `null` when it is of another order, forged or malformed. */
export function decodeCursor(
  cursor: string,
  order: string,
  kinds: readonly CursorKey[],
): readonly string[] | null {
  const parts = parseJson(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (!Array.isArray(parts) || parts.length !== kinds.length + 1 || parts[0] !== order) return null
  const keys: string[] = []
  for (const [index, kind] of kinds.entries()) {
    const key = parts[index + 1]
    if (typeof key !== 'string' || !isOfKind(key, kind)) return null
    keys.push(key)
  }
  return keys
}

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const instantPattern =
  /^(\d{4})-(\d\d)-(\d\d) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?[+-](0\d|1[0-4])(:[0-5]\d)?$/

function isOfKind(key: string, kind: CursorKey): boolean {
  if (kind === 'number') return /^\d{1,9}$/.test(key)
  if (kind === 'signed') return /^(0|-?[1-9]\d{0,17})$/.test(key)
  if (kind === 'id') return idPattern.test(key)
  if (kind === 'text') return key.isWellFormed() && !key.includes('\0')
  const match = instantPattern.exec(key)
  if (match === null) return false
  const [year, month, day] = match.slice(1, 4).map(Number)
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day))
  return (year ?? 0) > 99 && date.getUTCMonth() + 1 === month && date.getUTCDate() === day
}

import { isObject } from './is-object.ts'

/** Deeper values are left to the canonicalizer, which does not recurse. */
const maxDepth = 100

/** Returned for a value whose sorted copy `JSON.stringify` might not write as canonical JSON. */
export const unusual = Symbol('unusual')

/**
 * A copy whose members are in the order of canonical JSON, so that `JSON.stringify` writes
 * canonical JSON. Returns {@link unusual} for everything that is not plain JSON, for lone
 * surrogates, and for names that an object would order by number.
 */
export function sortedCopy(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : unusual
  if (typeof value === 'number') return Number.isFinite(value) ? value : unusual
  if (value === null || typeof value === 'boolean') return value
  if (depth > maxDepth) return unusual
  if (Array.isArray(value)) return copyOfItems(value, depth)
  if (!isObject(value)) return unusual
  const kind: unknown = Object.getPrototypeOf(value)
  if (kind !== Object.prototype && kind !== null) return unusual
  return copyOfMembers(value, depth)
}

function copyOfItems(items: readonly unknown[], depth: number): unknown {
  const copies: unknown[] = []
  for (const item of items) {
    const copy = sortedCopy(item, depth + 1)
    if (copy === unusual) return unusual
    copies.push(copy)
  }
  return 'toJSON' in items ? unusual : copies
}

function copyOfMembers(members: Readonly<Record<string, unknown>>, depth: number): unknown {
  const copies: Record<string, unknown> = {}
  for (const name of Object.keys(members).toSorted()) {
    const member = members[name]
    if (member === undefined) continue
    if (!isOrdinary(name)) return unusual
    const copy = sortedCopy(member, depth + 1)
    if (copy === unusual) return unusual
    copies[name] = copy
  }
  return copies
}

/** Objects sort names that are numbers, and two other names have a meaning of their own. */
function isOrdinary(name: string): boolean {
  const first = name.charCodeAt(0)
  const isDigit = first >= 48 && first <= 57
  return !isDigit && name !== '__proto__' && name !== 'toJSON' && name.isWellFormed()
}

import { didYouMean } from './did-you-mean.ts'
import { parseDuration } from './duration.ts'
import { isListAt, odd, readItems, scalarOf, shownAt, wrong, type Spot } from './spot.ts'

/** A text that is not blank; `null` after reporting. Numbers and booleans must be quoted. */
export function readText(spot: Spot): string | null {
  const value = scalarOf(spot)
  if (typeof value === 'string' && value.trim() !== '') return value
  wrong(
    spot,
    `is ${shownAt(spot)}, not a text`,
    'write a text; quote what looks like a number or a boolean',
  )
  return null
}

/** One of some fixed words. */
export function readChoice<T extends string>(spot: Spot, choices: readonly T[]): T | null {
  const value = scalarOf(spot)
  const choice = choices.find((one) => one === value)
  if (choice !== undefined) return choice
  wrong(spot, `is ${shownAt(spot)}`, didYouMean(String(value), choices))
  return null
}

/** A name of something that is defined elsewhere in the folder. */
export function readReference(spot: Spot, what: string, known: ReadonlySet<string>): string | null {
  const name = readText(spot)
  if (name === null || known.has(name)) return name
  wrong(spot, `names the ${what} "${name}", which is not defined`, didYouMean(name, [...known]))
  return null
}

export function readBoolean(spot: Spot): boolean | null {
  const value = scalarOf(spot)
  if (typeof value === 'boolean') return value
  wrong(spot, `is ${shownAt(spot)}`, 'write true or false')
  return null
}

/** A whole number of at least `least`. */
export function readCount(spot: Spot, least: number, most: number): number | null {
  const value = scalarOf(spot)
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) {
    return value
  }
  wrong(spot, `is ${shownAt(spot)}`, `write a whole number from ${least} to ${most}`)
  return null
}

/** Milliseconds of `90s`, `15m`, `4h`, `7d`. */
export function readDuration(spot: Spot): number | null {
  const value = scalarOf(spot)
  const ms = typeof value === 'string' ? parseDuration(value) : null
  if (ms !== null) return ms
  wrong(
    spot,
    `is ${shownAt(spot)}, not a duration`,
    'write 90s, 15m, 4h or 7d, of at least a second and at most 3650 days',
  )
  return null
}

/** The items that could be read. */
export function readList<T>(spot: Spot, read: (item: Spot) => T | null): T[] {
  return readItems(spot)
    .map(read)
    .filter((item) => item !== null)
}

/** A value, or a list of them that is not empty. */
export function readOneOrMany<T>(spot: Spot, read: (item: Spot) => T | null): T[] | null {
  if (!isListAt(spot)) {
    const one = read(spot)
    return one === null ? null : [one]
  }
  const items = readItems(spot)
  if (items.length === 0) wrong(spot, 'is an empty list', 'name at least one, or leave the key out')
  return items.map(read).filter((item) => item !== null)
}

const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** A name of the user's own choosing, safe in paths, links and rule ids. */
export function checkName(spot: Spot, name: string): boolean {
  if (namePattern.test(name)) return true
  wrong(
    spot,
    `has the name ${JSON.stringify(name)}`,
    'use letters, digits, "-" and "_", at most 64, beginning with a letter or digit',
  )
  return false
}

/** Points out a name that differs from an earlier one in case only. */
export function warnOfCase(
  spot: Spot,
  name: string,
  earlier: Iterable<{ readonly name: string }>,
): void {
  const folded = name.toLowerCase()
  for (const other of earlier) {
    if (other.name === name || other.name.toLowerCase() !== folded) continue
    odd(spot, `differs from "${other.name}" in case only`, 'rename one of them')
    return
  }
}

const emailPattern = /^[^\s@,;<>"]{1,64}@[^\s@,;<>"]{1,189}$/

/** An e-mail address in lower case: who a person is. */
export function readEmail(spot: Spot): string | null {
  const value = scalarOf(spot)
  if (typeof value === 'string' && emailPattern.test(value)) return value.toLowerCase()
  wrong(spot, `is ${shownAt(spot)}, not an e-mail address`, 'write ada@example.com')
  return null
}

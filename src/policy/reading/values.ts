import { nameForm } from '#domain/name-form.ts'
import { readEmailAddress } from '#domain/email-address.ts'
import { didYouMean } from './did-you-mean.ts'
import { parseDuration } from './duration.ts'
import {
  isListAt,
  warn,
  readEntries,
  readItems,
  scalarOf,
  valueTextAt,
  wrong,
  type YamlField,
} from './yaml-field.ts'
import { compileGlob } from '../globs/compile-glob.ts'

/** What other parts of the folder may refer to. */
export interface Names {
  readonly teams: ReadonlySet<string>
  readonly queues: ReadonlySet<string>
  readonly workers: ReadonlySet<string>
  /** addresses of models */
  readonly endpoints: ReadonlySet<string>
  readonly workspaces: ReadonlySet<string>
}

/** Lone surrogates and control characters except tabs and line ends: some programs refuse them. */
const control = /[^\P{Cc}\t\n\r]|\p{Cs}/u

/** A text that is not blank; `null` after reporting. Numbers and booleans must be quoted. */
export function readText(field: YamlField): string | null {
  const value = readAnyText(field)
  if (value === null || !control.test(value)) return value
  wrong(field, 'has a control character', 'leave it out')
  return null
}

/** The same with any characters, for the answers of a scripted model. */
export function readAnyText(field: YamlField): string | null {
  const value = scalarOf(field)
  if (typeof value === 'string' && value.trim() !== '') return value
  if (typeof value === 'string') wrong(field, 'is empty', 'write a text')
  else {
    wrong(
      field,
      `is ${valueTextAt(field)}, not a text`,
      'write a text; quote what looks like a number or a boolean',
    )
  }
  return null
}

/** One of some fixed words. Without a `remedy` the nearest word is suggested. */
export function readChoice<T extends string>(
  field: YamlField,
  choices: readonly T[],
  remedy?: string,
): T | null {
  const value = scalarOf(field)
  const choice = choices.find((one) => one === value)
  if (choice !== undefined) return choice
  wrong(field, `is ${valueTextAt(field)}`, remedy ?? didYouMean(String(value), choices))
  return null
}

/** A name of something that is defined elsewhere in the folder. */
export function readReference(
  field: YamlField,
  what: string,
  names: ReadonlySet<string>,
): string | null {
  const name = readText(field)
  if (name === null || names.has(name)) return name
  wrong(field, `names the ${what} "${name}", which is not defined`, didYouMean(name, [...names]))
  return null
}

/** `true` or `false`; anything else is reported as a problem of the file, and `null`. */
export function readBoolean(field: YamlField): boolean | null {
  const value = scalarOf(field)
  if (typeof value === 'boolean') return value
  wrong(field, `is ${valueTextAt(field)}`, 'write true or false')
  return null
}

/** A whole number of at least `min`. */
export function readCount(field: YamlField, min: number, max: number): number | null {
  const value = scalarOf(field)
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
    return value
  }
  wrong(field, `is ${valueTextAt(field)}`, `write a whole number from ${min} to ${max}`)
  return null
}

/** A number that need not be whole. */
export function readAmount(field: YamlField, min: number, max: number): number | null {
  const value = scalarOf(field)
  if (typeof value === 'number' && value >= min && value <= max) return value
  wrong(field, `is ${valueTextAt(field)}`, `write a number from ${min} to ${max}`)
  return null
}

/** Milliseconds of `90s`, `15m`, `4h`, `7d`. */
export function readDuration(field: YamlField): number | null {
  const value = scalarOf(field)
  const ms = typeof value === 'string' ? parseDuration(value) : null
  if (ms !== null) return ms
  wrong(
    field,
    `is ${valueTextAt(field)}, not a duration`,
    'write 90s, 15m, 4h or 7d, of at least a second and at most 3650 days',
  )
  return null
}

/** The items that could be read. */
export function readList<T>(field: YamlField, read: (item: YamlField) => T | null): T[] {
  return readItems(field)
    .map(read)
    .filter((item) => item !== null)
}

/** A value, or a list of them that is not empty. */
export function readOneOrMany<T>(
  field: YamlField,
  read: (item: YamlField) => T | null,
): T[] | null {
  if (!isListAt(field)) {
    const one = read(field)
    return one === null ? null : [one]
  }
  const items = readItems(field)
  if (items.length === 0)
    wrong(field, 'is an empty list', 'name at least one, or leave the key out')
  return items.map(read).filter((item) => item !== null)
}

/** A name of the user's own choosing, safe in paths, links and rule ids. */
export function checkName(field: YamlField, name: string): boolean {
  if (nameForm.test(name)) return true
  wrong(
    field,
    `has the name ${JSON.stringify(name)}`,
    'use letters, digits, "-" and "_", at most 64, beginning with a letter or digit',
  )
  return false
}

/** The entries by their names, without those whose name or value is wrong. */
export function readNamed<T>(
  field: YamlField,
  read: (value: YamlField, name: string) => T | null,
): Map<string, T> {
  const values = new Map<string, T>()
  for (const [name, entry] of readEntries(field)) {
    const value = checkName(entry, name) ? read(entry, name) : null
    if (value !== null) values.set(name, value)
  }
  return values
}

/** A name of the user's own choosing as a text; `null` after reporting. */
export function readName(field: YamlField): string | null {
  const name = readText(field)
  return name !== null && checkName(field, name) ? name : null
}

/**
 * Warns of each name in a list that differs from an earlier one in case only. Call it once for the
 * list, and what it returns once for each name; a list of n names takes time in proportion to n.
 */
export function warnOfCase(): (field: YamlField, name: string) => void {
  const earlier = new Map<string, string>()
  return (field, name) => {
    const folded = name.toLowerCase()
    const other = earlier.get(folded)
    if (other === undefined) earlier.set(folded, name)
    else if (other !== name) {
      warn(field, `differs from "${other}" in case only`, 'rename one of them')
    }
  }
}

/** An e-mail address in lower case, which identifies a person. */
export function readEmail(field: YamlField): string | null {
  const value = scalarOf(field)
  const email = typeof value === 'string' ? readEmailAddress(value) : null
  if (email !== null) return email
  wrong(field, `is ${valueTextAt(field)}, not an e-mail address`, 'write ada@example.com')
  return null
}

/** No real glob is longer, and a longer one would take too long on long paths. */
const maxCharacters = 500

/** Reports a glob that cannot be read or is too long. Returns whether it is valid. */
export function checkGlob(field: YamlField, glob: string): boolean {
  if (glob.length > maxCharacters) {
    wrong(field, `is over ${maxCharacters} characters`, 'write a shorter pattern')
    return false
  }
  const compiled = compileGlob(glob, { byName: false })
  if (compiled.ok) return true
  wrong(field, `is not a pattern: ${compiled.problem}`, 'write a pattern like "infra/**"')
  return false
}

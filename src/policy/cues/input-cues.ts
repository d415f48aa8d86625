import {
  currencyOf,
  fieldName,
  isCurrency,
  isInMinorUnits,
  moneyOrDateText,
  withoutMinorUnits,
} from '#domain/fields/value-text.ts'
import { isPlain } from '#domain/fields/field-names.ts'
import { oneLine } from '#domain/text/one-line.ts'
import { cueLimits, type CueSource } from '#domain/policy/cues.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import { destructiveSql } from './text/sql-cues.ts'
import { secretCues } from './text/text-cues.ts'
import { wordSet } from '#domain/text/word-set.ts'
import { hasWord, moneyWords, productionWords, wordsOf } from './text/words.ts'

/** One scalar value of an input, with the names on its path. */
export interface Leaf {
  readonly name: string
  readonly value: string | number | boolean | null
  /** that an object around it names */
  readonly currency: string | null
}

/** More leaves, or more characters of their names and values, are not examined. */
const maxLeaves = 2000
const maxCharacters = 1024 * 1024

/**
 * The scalar values of an input that are examined, the outer ones first, and whether they are all
 * of it. Items of a list have the list's name.
 */
export function leavesOf(input: JsonObject): {
  readonly leaves: readonly Leaf[]
  readonly areAll: boolean
} {
  const leaves: Leaf[] = []
  const queue: (Pick<Leaf, 'name' | 'currency'> & { readonly value: Json })[] = [
    { name: '', value: input, currency: null },
  ]
  let charactersLeft = maxCharacters
  let areAll = true
  for (const { name, value, currency } of queue) {
    if (leaves.length === maxLeaves || charactersLeft <= 0) return { leaves, areAll: false }
    if (Array.isArray(value)) {
      for (const item of value.slice(0, maxLeaves)) queue.push({ name, value: item, currency })
      areAll &&= value.length <= maxLeaves
    } else if (typeof value === 'object' && value !== null) {
      const inner = currencyOf(value) ?? currency
      const members = Object.entries(value)
      for (const [key, item] of members.slice(0, maxLeaves)) {
        queue.push({ name: key, value: item, currency: inner })
      }
      areAll &&= members.length <= maxLeaves
    } else {
      // Items of a list share its name, and each of them is examined with it.
      charactersLeft -= name.length
      const part = typeof value === 'string' ? value.slice(0, Math.max(0, charactersLeft)) : value
      leaves.push({ name, value: part, currency })
      charactersLeft -= typeof value === 'string' ? value.length : 8
    }
  }
  return { leaves, areAll: areAll && charactersLeft >= 0 }
}

const amountWords = wordSet(`
  amount price total subtotal cents currency fee fees cost salary discount iban balance refund
  payout invoice payment`)
const environmentWords = wordSet('environment env stage target cluster namespace database db host')
const removal = wordSet('delete drop destroy purge wipe truncate erase remove terminate')

/** Arguments by which other programs leave a limit that people count on, and what to say of it. */
const departures: readonly (readonly [isOne: (leaf: Leaf) => boolean, text: string])[] = [
  [
    ({ name, value }) => /^dangerouslyDisableSandbox$/i.test(name) && value !== false,
    'Runs outside of the sandbox of the program that asks',
  ],
  [
    ({ name, value }) =>
      (/^(?:run_in_background|is_background|detach)$/i.test(name) && value !== false) ||
      (name === 'mode' && value === 'async'),
    'Goes on in the background: its start is reported, and not its end',
  ],
]

/** The cues from the name and the values of a call, except those about files and commands. Pure. */
export function inputCues(tool: string, leaves: readonly Leaf[]): readonly CueSource[] {
  const cues: CueSource[] = []
  const words = wordsOf(tool)
  if (words.some((word) => removal.has(word))) {
    cues.push({
      id: 'deletes_untracked',
      text: `Deletes something, by its name: ${oneLine(tool, 120)}`,
    })
  }
  const amounts = leaves.filter(({ name, value }) => hasWord(name, amountWords) && isAmount(value))
  // A currency alone says less than the amount in it.
  const amount = amounts.find(({ name }) => !isCurrency(name)) ?? amounts[0]
  const moves = words.some((word) => moneyWords.has(word))
  if (amount !== undefined || moves) {
    const what = amount === undefined ? tool : amountWith(amount)
    cues.push({ id: 'money', text: `Is about money: ${oneLine(what, 120)}`, ...textOfLeaf(amount) })
  }
  const place = leaves.find(({ name, value }) => namesProduction(name, value))
  if (place !== undefined || words.some((word) => productionWords.has(word))) {
    const what = place === undefined ? tool : `${place.name} ${String(place.value)}`
    cues.push({
      id: 'production',
      text: `Is about production: ${oneLine(what, 120)}`,
      ...textOfLeaf(place),
    })
  }
  for (const [isOne, text] of departures) {
    const match = leaves.find(isOne)
    if (match !== undefined) cues.push({ id: 'protection_off', text, ...textOfLeaf(match) })
  }
  for (const leaf of leaves) {
    if (typeof leaf.value !== 'string') continue
    const isQuery = /^(?:sql|query|statement|queries)$/i.test(leaf.name)
    const leafCues = [...secretsOf(leaf), ...(isQuery ? destructiveSql(leaf.value) : [])]
    for (const { id, text } of leafCues) cues.push({ id, text, ...textOfLeaf(leaf) })
  }
  return cues
}

/** `password: hunter2hunter2` is a secret although neither its name nor its value is one alone. */
function secretsOf({ name, value }: Leaf): readonly CueSource[] {
  const text = String(value)
  const own = secretCues(text)
  if (own.length > 0 || text.includes(' ') || text.length > 200) return own
  return secretCues(`${name}: ${text}`)
}

/**
 * An amount with its name in words. Its field may have a title that says cents, so that only a name
 * that says so itself gives it a currency.
 */
function amountWith({ name, value, currency }: Leaf): string {
  const words = fieldName(name) || name
  const inMain = isPlain(name) && isInMinorUnits(name, value, currency)
  const text = moneyOrDateText(name, value, inMain ? currency : null) ?? String(value)
  return `${inMain ? withoutMinorUnits(words) : words} ${text}`
}

function isAmount(value: Leaf['value']): boolean {
  return (
    typeof value === 'number' ||
    (typeof value === 'string' && /\d/.test(value) && value.length < 60) ||
    (typeof value === 'string' && /^[A-Za-z]{3}$/.test(value))
  )
}

function namesProduction(name: string, value: Leaf['value']): boolean {
  if (typeof value !== 'string' || value.length > 200) return false
  const isPlace =
    hasWord(name, environmentWords) || /^(?:https?|postgres(?:ql)?|mysql):/.test(value)
  return isPlace && hasWord(value, productionWords)
}

/** Arguments are shown as indented JSON: the line with the name. */
function textOfLeaf(leaf: Leaf | undefined): Pick<CueSource, 'says'> {
  if (leaf === undefined || leaf.name === '') return {}
  return { says: `${JSON.stringify(leaf.name)}: `.slice(0, cueLimits.says) }
}

import { oneLine } from '#domain/text/one-line.ts'
import { readableName } from '#domain/text/readable-name.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'

/** The name of a field as people read it; more than 80 characters are cut off. */
export function fieldName(name: string): string {
  return readableName(name.slice(0, 80))
}

// No digit of an amount is left out.
const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 20 })
const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const times = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})
const amountName = /(?:amount|price|total|cost|fee|balance|budget|salary|refund)s?$/i
// Matches only where a run of blanks begins, so that a long run is read once.
const minorUnits = /(?<![\s([])[\s([]*(?:in )?(?:cents|minor(?: ?units?)?)[)\]\s]*$/i

/** Whether `valueText` shows this count of the currency's smallest unit in the main unit. */
export function isInMinorUnits(name: string, value: Json, currency: string | null): boolean {
  return currency !== null && minorUnits.test(fieldName(name)) && Number.isSafeInteger(value)
}

/** Whether a title or a name says that what it holds is in the smallest unit of the currency. */
export function isTitleOfMinorUnits(title: string): boolean {
  const words = readableName(title.slice(0, 500))
  return minorUnits.test(words) || /\b(?:euro)?cents?\b|\bminor ?units?\b/i.test(words)
}

/** A title without the words that say that its value is in the smallest unit of the currency. */
export function withoutMinorUnits(title: string): string {
  return title.replace(minorUnits, '') || 'Amount'
}

/**
 * A value for people, on one line: money with its currency, dates in words, lists by their first
 * members. `currency` is the one that the call names; `null`: none. With a `name` of '', no amount
 * gets a currency.
 */
export function valueText(name: string, value: Json, currency: string | null): string {
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return moneyText(name, value, currency) ?? numbers.format(value)
  if (typeof value === 'string') return stringText(name, value, currency)
  if (Array.isArray(value)) return listText(name, value, currency)
  const entries = Object.entries(value)
  if (entries.length === 0) return 'nothing'
  // Money within what counts the smallest unit, or whose title says so, is not in the main one.
  const saysNoUnit = name === '' || isTitleOfMinorUnits(name)
  const own = currencyOf(value)
  if (own !== null && entries.length === 2) {
    const [[field, amount] = ['', null]] = entries.filter(([key]) => !isCurrency(key))
    if (typeof amount === 'number' || typeof amount === 'string') {
      return valueText(saysNoUnit ? '' : amountNameOf(field), amount, own)
    }
  }
  return entries
    .slice(0, 3)
    .map(([key, one]) => `${fieldName(key)} ${shallowText(saysNoUnit ? '' : key, one, currency)}`)
    .join(', ')
}

/**
 * The name by which a member beside a currency is read: “amount: {value: 249.9, currency: EUR}” is
 * one amount.
 */
export function amountNameOf(name: string): string {
  return /^(?:value|number)$/i.test(name) ? 'amount' : name
}

/** An amount of money or a date in words; `null`: the value is neither. */
export function moneyOrDateText(name: string, value: Json, currency: string | null): string | null {
  if (typeof value === 'number') return moneyText(name, value, currency)
  return typeof value === 'string' ? shortText(name, value, currency) : null
}

function moneyText(name: string, value: number, currency: string | null): string | null {
  if (currency === null) return null
  if (isInMinorUnits(name, value, currency)) return `${mainUnitText(value, currency)} ${currency}`
  return amountName.test(name.replaceAll(/[_-]/g, ''))
    ? `${amountText(value, currency)} ${currency}`
    : null
}

/** The main unit with the digits of its currency, and with every further digit: "129.90", "40". */
function amountText(value: number, currency: string): string {
  const minimumFractionDigits = Number.isInteger(value) ? 0 : fractionDigits(currency)
  return value.toLocaleString('en', { minimumFractionDigits, maximumFractionDigits: 20 })
}

function fractionDigits(currency: string): number {
  const money = new Intl.NumberFormat('en', { style: 'currency', currency })
  return money.resolvedOptions().maximumFractionDigits ?? 2
}

/** Currencies differ in the size of their smallest unit: yen have none, dinars have thousandths. */
function mainUnitText(value: number, currency: string): string {
  const digits = fractionDigits(currency)
  const exact = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return (value / 10 ** digits).toLocaleString('en', exact)
}

function stringText(name: string, value: string, currency: string | null): string {
  const text = shortText(name, value, currency)
  if (text !== null) return text
  if (/^[^\s@]{1,64}@[^\s@]{1,189}$/.test(value)) return value
  return /^[\w./:@+-]{1,80}$/.test(value) ? value : `“${oneLine(value, 60)}”`
}

/** A date, a time or an amount that is written as a string; `null`: it is another text. */
function shortText(name: string, value: string, currency: string | null): string | null {
  if (value.length > 40) return null
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return dateText(value, `${value}T00:00:00Z`, dates)
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z$/.test(value)) {
    const text = dateText(value, value, times)
    return text === null ? null : `${text} UTC`
  }
  const isAmount = /^-?\d{1,15}(?:\.\d{1,6})?$/.test(value) && currency !== null
  return isAmount && amountName.test(name) ? `${value} ${currency}` : null
}

/** `null`: no calendar has it. JavaScript reads 30 February as 2 March, 24:00 as the next day. */
function dateText(written: string, instant: string, format: Intl.DateTimeFormat): string | null {
  const at = new Date(instant)
  const isDate = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(written.slice(0, 10))
  return isDate ? format.format(at) : null
}

function listText(name: string, values: readonly Json[], currency: string | null): string {
  const [first] = values
  if (first === undefined) return 'nothing'
  const more = values.length - 1
  const text = shallowText(name, first, currency)
  if (more === 0) return text
  // “2 values and 1 more” would count the members of the first entry and then entries.
  const isDeep = typeof first === 'object' && first !== null
  return isDeep ? `${values.length} entries` : `${text} and ${more} more`
}

/** Of deeper values only the size is shown. */
function shallowText(name: string, value: Json, currency: string | null): string {
  if (typeof value !== 'object' || value === null) return valueText(name, value, currency)
  const size = Array.isArray(value) ? value.length : Object.keys(value).length
  return Array.isArray(value) ? `${size} entries` : `${size} values`
}

/** Whether a field names the currency of the amounts beside it. */
export function isCurrency(name: string): boolean {
  return /^currency(?:_?code)?$/i.test(name)
}

/** The currency that a call, or an amount in it, names: three letters. */
export function currencyOf(input: JsonObject): string | null {
  const currencyInput = Object.entries(input).find(([name]) => isCurrency(name))?.[1]
  return typeof currencyInput === 'string' && /^[A-Za-z]{3}$/.test(currencyInput)
    ? currencyInput.toUpperCase()
    : null
}

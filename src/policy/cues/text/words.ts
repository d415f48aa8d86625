import { wordSet } from '#domain/text/word-set.ts'

/**
 * The words of a name, a path or a key, in lower case: split at every character other than letters
 * and digits, and between lower and upper case. Linear.
 */
export function wordsOf(text: string): readonly string[] {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}

/** Whether one of the words of a text is in the set. */
export function hasWord(text: string, words: ReadonlySet<string>): boolean {
  return wordsOf(text).some((word) => words.has(word))
}

export const moneyWords = wordSet(`
  payment payments pay payout payouts refund refunds charge charges invoice invoices billing price
  prices pricing checkout stripe paypal payroll salary salaries purchase purchases transfer
  transfers subscription subscriptions iban tariff tariffs discount discounts`)

/** Words for production systems. */
export const productionWords = wordSet('prod production prd')

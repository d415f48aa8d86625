/**
 * The words of a name, a path or a key, in lower case: parted at every character that is no letter
 * or digit, and where lower case meets upper case. Linear.
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

/** A set of the words of a list, which are parted by white space. */
export function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/).filter((word) => word !== ''))
}

/** Words for money that moves. */
export const moneyWords = wordSet(`
  payment payments pay payout payouts refund refunds charge charges invoice invoices billing price
  prices pricing checkout stripe paypal payroll salary salaries purchase purchases transfer
  transfers subscription subscriptions iban tariff tariffs discount discounts`)

/** Words for what customers use. */
export const productionWords = wordSet('prod production prd')

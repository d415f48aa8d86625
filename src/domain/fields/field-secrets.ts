import type { Json } from '../json/json.ts'
import { chippedSecrets } from '../text/secrets.ts'

/**
 * Whether a line of JSON has a secret that the lines of its value do not have at the same place:
 * `"password": "…"`, or a key of several lines. Pages mask it by the whole line.
 */
export function namesSecret(json: string, value: Exclude<Json, object>): boolean {
  const secrets = chippedSecrets(json)
  if (secrets.length === 0) return false
  const exact = JSON.stringify(value)
  const isText = typeof value === 'string'
  const begin = json.replace(/,$/, '').length - exact.length + (isText ? 1 : 0)
  const masks = masksOf(isText ? value : exact)
  // For each character of the line; -1: it is a part of an escape that has begun before it.
  const maskIn = new Int32Array(json.length).fill(-1)
  const characters = (isText ? exact.slice(1, -1) : exact).matchAll(/\\u[\da-f]{4}|\\.|[^]/g)
  let at = 0
  for (const { index } of characters) maskIn[begin + index] = masks[at++] ?? 0
  return secrets.some(({ start, end }) => {
    const numbers = new Set(maskIn.subarray(start, end))
    numbers.delete(-1)
    return start < begin || numbers.size !== 1 || numbers.has(0)
  })
}

/** For each character, the number of the secret of its line that it belongs to; 0: none. */
function masksOf(text: string): Int32Array {
  const masks = new Int32Array(text.length)
  let from = 0
  let number = 0
  for (const line of text.split('\n')) {
    for (const { start, end } of chippedSecrets(line)) {
      number += 1
      masks.fill(number, from + start, from + end)
    }
    from += line.length + 1
  }
  return masks
}

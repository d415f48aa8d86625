import type { Json } from '../json/json.ts'

/** The task of a run as text for people: a string as it is, an object as lines `Title: value`. */
export function taskText(input: Json): string {
  if (typeof input === 'string') return input
  if (input === null || typeof input !== 'object' || Array.isArray(input)) {
    return JSON.stringify(input)
  }
  return Object.entries(input)
    .map(([key, value]) => `${titleOf(key)}: ${valueText(value)}`)
    .join('\n')
}

/** `releaseDate` and `release_date` as `Release date`. */
function titleOf(key: string): string {
  const words = key
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[_\s-]+/g, ' ')
    .trim()
  const [first, ...rest] = Array.from(words === '' ? key : words)
  return (first ?? '').toUpperCase() + rest.join('').toLowerCase()
}

function valueText(value: Json): string {
  if (typeof value === 'string') return value
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string')
  return isList ? value.join(', ') : JSON.stringify(value)
}

import type { Json } from '../json/json.ts'
import { readableName } from './readable-name.ts'

/** The task of a run as text for people: a string as it is, an object as lines `Title: value`. */
export function taskText(input: Json): string {
  if (typeof input === 'string') return input
  if (input === null || typeof input !== 'object' || Array.isArray(input)) {
    return JSON.stringify(input)
  }
  return Object.entries(input)
    .map(([key, value]) => `${readableName(key) || key}: ${valueText(value)}`)
    .join('\n')
}

function valueText(value: Json): string {
  if (typeof value === 'string') return value
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string')
  return isList ? value.join(', ') : JSON.stringify(value)
}

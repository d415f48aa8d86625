import { visibleString } from './visible-string.ts'
import { preciseTime } from './time.tsx'

/** An instant of an address, which can be any text. */
export function timeIn(text: string): string {
  return Number.isNaN(Date.parse(text)) ? visibleString(text) : preciseTime(text)
}

import type { Json } from '../../../domain/json.ts'

/** Longest title of a run, in characters. */
const titleCharacters = 200

/** The first line of what a run is asked, as lists show it: without control characters, cut to 200 characters. */
export function titleOf(input: Json): string {
  const asked = typeof input === 'string' ? input : JSON.stringify(input)
  const line = asked.trim().split(/[\r\n]/, 1)[0] ?? ''
  const characters = Array.from(line.toWellFormed().replaceAll(/\p{Cc}/gu, ' '))
  if (characters.length <= titleCharacters) return characters.join('')
  return `${characters.slice(0, titleCharacters - 1).join('')}…`
}

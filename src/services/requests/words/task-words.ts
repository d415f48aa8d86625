import type { Json } from '#domain/json/json.ts'
import { taskText } from '#domain/text/task-text.ts'
import { readMessageText } from '../../transcript/messages.ts'

/** Of a longer task only so many characters are told; a larger one is told by its title. */
export const taskLimits = { characters: 4000, storedBytes: 256 * 1024 } as const

/** What a run was asked, as people read it, cut to 4,000 characters with the cut marked. */
export function taskWords(stored: string, isInput: boolean): string {
  const text = isInput ? taskText(JSON.parse(stored) as Json) : readMessageText(stored)
  const { characters: most } = taskLimits
  return text.length <= most ? text.toWellFormed() : `${text.slice(0, most - 1).toWellFormed()}…`
}

import type { Json } from '#domain/json/json.ts'
import { taskText } from '#domain/text/task-text.ts'
import { readMessageText } from '../../transcript/messages.ts'

/** A longer task is cut to this many characters; a larger one is replaced by its title. */
export const taskLimits = { characters: 4000, storedBytes: 256 * 1024 } as const

/** The task of a run as text for people, cut to 4,000 characters with a mark. */
export function taskWords(storedText: string, isInput: boolean): string {
  const text = wholeTask(storedText, isInput)
  const { characters: maxCharacters } = taskLimits
  return text.length <= maxCharacters
    ? text.toWellFormed()
    : `${text.slice(0, maxCharacters - 1).toWellFormed()}…`
}

/** The whole task: the input of the run, or the message that a fork began with. */
export function wholeTask(storedText: string, isInput: boolean): string {
  return isInput ? taskText(JSON.parse(storedText) as Json) : readMessageText(storedText)
}

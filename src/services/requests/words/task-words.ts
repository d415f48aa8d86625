import type { Json } from '#domain/json/json.ts'
import { cutText } from '#domain/text/quantities/cut-text.ts'
import { taskText } from '#domain/text/task-text.ts'
import { readMessageText } from '../../transcript/messages.ts'

/** A list cuts a task with more characters. One that has more bytes is replaced by its title. */
export const taskLimits = { characters: 4000, storedBytes: 256 * 1024 } as const

/** Where a task is shown: a list cuts it. */
export type ShownIn = 'list' | 'detail'

/** The task of a run as text for people. A list cuts it, and counts what it leaves out. */
export function taskWords(storedText: string, isInput: boolean, shownIn: ShownIn): string {
  const text = wholeTask(storedText, isInput)
  return shownIn === 'detail' ? text.toWellFormed() : cutText(text, taskLimits.characters)
}

/** The title of a task that is too large to be read here, with where the whole of it is. Pure. */
export function largeTask(title: string, bytes: number): string {
  return `${title} (${bytes.toLocaleString('en')} bytes: the page of the run shows all of it)`
}

/** The whole task: the input of the run, or the message that a fork began with. */
export function wholeTask(storedText: string, isInput: boolean): string {
  return isInput ? taskText(JSON.parse(storedText) as Json) : readMessageText(storedText)
}

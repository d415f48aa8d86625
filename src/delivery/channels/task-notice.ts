import { cutText } from '#domain/text/quantities/cut-text.ts'
import { maskSecrets } from '#domain/text/mask-secrets.ts'
import { instantText } from './instant-text.ts'

/** What a person asked a run to do, as a notification says it. */
export interface TaskNotice {
  /** the person's name */
  readonly by: string
  readonly at: Date
  /** masked, and cut */
  readonly text: string
}

const maxCharacters = 200
/** A character that nobody sees takes the length of its name. */
const maxShown = 300
const maxNameLength = 100

/**
 * The first characters of a task and how many more it has, with what looks like a secret masked;
 * `null` for a blank one. The whole text is masked before it is cut: half of a key matches no known
 * form. Pure.
 */
export function shortTask(task: string): string | null {
  const text = maskSecrets(task).trim()
  return text === '' ? null : cutText(text, maxCharacters)
}

/**
 * One line, such as `Task of Ada, 2026-11-22 10:00 UTC: Write the notes`. `show` puts text of
 * others on one line of the channel. Our words stand first, so that no text can look like them.
 * Pure.
 */
export function taskLine(
  { by, at, text }: TaskNotice,
  show: (text: string, maxCharacters: number) => string,
): string {
  return `Task of ${show(by, maxNameLength)}, ${instantText(at)}: ${show(text, maxShown)}`
}

import type { CueId } from '#domain/policy/cues.ts'
import type { CommandOfText } from './commands-of.ts'
import { fromVerb } from './global-options.ts'

/** What a command does that deserves attention, as a phrase that the command is quoted behind. */
export type Hit = readonly [id: CueId, what: string]

/**
 * The operands of a command: what is no option, and no value of an option that stands before the
 * program's own command. The first is that command: `reset` of `git -C dir reset --hard`.
 */
export function operandsOf(command: Pick<CommandOfText, 'program' | 'args'>): readonly string[] {
  const args = fromVerb(command.program, command.args)
  const end = args.indexOf('--')
  const before = end < 0 ? args : args.slice(0, end)
  const behind = end < 0 ? [] : args.slice(end + 1)
  return [...before.filter((word) => !word.startsWith('-')), ...behind]
}

/** Whether one of the words is an option of these, also with a value behind `=`. */
export function hasOption(args: readonly string[], ...options: readonly string[]): boolean {
  return args.some((word) => options.includes(word.split('=', 1)[0] ?? word))
}

/** Whether short options hold a letter: `-rf` holds `f`. */
export function hasLetter(args: readonly string[], letter: string): boolean {
  return args.some((word) => /^-[A-Za-z]+$/.test(word) && word.includes(letter, 1))
}

/** Looks at one command. */
export type Look = (command: CommandOfText) => readonly Hit[]

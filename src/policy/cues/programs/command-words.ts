import type { CueId } from '#domain/policy/cues.ts'
import type { CommandOfText } from './commands-of.ts'
import { fromVerb } from './global-options.ts'

/** A cue of a command, as a phrase that is followed by the command. `reach`: as in `Cue`. */
export type CueMatch = readonly [id: CueId, what: string, reach?: 'onlyReaches' | undefined]

/**
 * The operands of a command: what is no option, and no value of an option before the program's own
 * command. The first is that command: `reset` of `git -C dir reset --hard`.
 */
export function operandsOf(command: Pick<CommandOfText, 'program' | 'args'>): readonly string[] {
  const args = fromVerb(command.program, command.args)
  const end = args.indexOf('--')
  const before = end < 0 ? args : args.slice(0, end)
  const behind = end < 0 ? [] : args.slice(end + 1)
  return [...before.filter((word) => !word.startsWith('-')), ...behind]
}

/** Whether one of the words is one of these options, also with a value after `=`. */
export function hasOption(args: readonly string[], ...options: readonly string[]): boolean {
  return args.some((word) => options.includes(word.split('=', 1)[0] ?? word))
}

/** Whether short options contain a letter: `-rf` contains `f`. */
export function hasLetter(args: readonly string[], letter: string): boolean {
  return args.some((word) => /^-[A-Za-z]+$/.test(word) && word.includes(letter, 1))
}

/** Finds the cues of one command. */
export type CueFinder = (command: CommandOfText) => readonly CueMatch[]

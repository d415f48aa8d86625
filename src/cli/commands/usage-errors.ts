import type { Command } from 'commander'
import { closestWord } from '#policy/reading/did-you-mean.ts'

/** Completes commander's errors about a command line, so that each says what to write instead. */
export function explainUsage(program: Command): void {
  program.configureOutput({ outputError: (text, write) => write(text + hintFor(text)) })
  refuseHelpOfUnknownCommand(program)
  for (const command of program.commands) {
    refuseUnknownCommand(command)
    explainUsage(command)
  }
}

/**
 * The words of a line, in which `help` before or among the names of commands is replaced by
 * `--help` after them. Commander's own `help` takes one name and ignores the rest.
 */
export function withHelpOption(program: Command, words: readonly string[]): readonly string[] {
  let group = program
  for (const [at, word] of words.entries()) {
    if (group.commands.length === 0) return words
    if (word === 'help') return [...words.slice(0, at), ...words.slice(at + 1), '--help']
    const below = group.commands.find((each) => namesOf(each).includes(word))
    if (below === undefined) return words
    group = below
  }
  return words
}

/** Refuses an unknown name instead of printing help: a script would take the help for an answer. */
function refuseHelpOfUnknownCommand(group: Command): void {
  group.on('beforeHelp', ({ error }: { error: boolean }) => {
    const isGroup = group.commands.length > 0
    if (isGroup && !error && !takesArguments(group)) refuseUnknownWord(group)
  })
}

/** Whether the default command of a group, its list, takes arguments. */
function takesArguments(group: Command): boolean {
  return group.commands.some((each) => each.name() === 'ls' && each.registeredArguments.length > 0)
}

/**
 * Refuses an unknown word after a group. Commander would take it for an argument of the default
 * command, and name that command in its error.
 */
function refuseUnknownCommand(group: Command): void {
  group.hook('preSubcommand', (_, command) => {
    if (command.registeredArguments.length === 0) refuseUnknownWord(group)
  })
}

function refuseUnknownWord(group: Command): void {
  const [word] = group.args
  if (word === undefined || word.startsWith('-')) return
  const names = ['help', ...group.commands.flatMap(namesOf)]
  if (names.includes(word)) return
  const closest = closestWord(word, names)
  const hint = closest === null ? '' : `\n(Did you mean ${closest}?)`
  group.error(`error: unknown command '${word}'${hint}`, { code: 'commander.unknownCommand' })
}

function namesOf(command: Command): string[] {
  return [command.name(), ...command.aliases()]
}

function hintFor(text: string): string {
  const severalWords = /^error: too many arguments .* Expected [1-9]/.test(text)
  return severalWords ? '(a text of several words is one argument in quotes)\n' : ''
}

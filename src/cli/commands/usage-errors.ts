import type { Command } from 'commander'

/** Completes commander's messages about a wrong line, so that each says what to write instead. */
export function explainUsage(program: Command): void {
  program.configureOutput({ outputError: (text, write) => write(text + hintFor(text)) })
  for (const command of program.commands) {
    refuseUnknownCommand(command)
    explainUsage(command)
  }
}

/**
 * A group with a default command passes a word it does not know on as that command's argument. It
 * would then be refused in the name of a command that nobody wrote.
 */
function refuseUnknownCommand(group: Command): void {
  group.hook('preSubcommand', (_, command) => {
    const [word] = group.args
    if (word === undefined || word.startsWith('-') || command.registeredArguments.length > 0) return
    const names = group.commands.flatMap((each) => [each.name(), ...each.aliases()])
    if (names.includes(word)) return
    group.error(`error: unknown command '${word}'`, { code: 'commander.unknownCommand' })
  })
}

function hintFor(text: string): string {
  const severalWords = /^error: too many arguments .* Expected [1-9]/.test(text)
  return severalWords ? '(a text of several words is one argument in quotes)\n' : ''
}

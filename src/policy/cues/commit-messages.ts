import type { CommandAnalysis } from '../shell/analyse-command.ts'
import { commandsOf } from './programs/commands-of.ts'
import { fromVerb } from './programs/global-options.ts'

/** The messages and trailers that the commands `git commit` of a text are given as arguments. */
export function commitMessages(analysis: CommandAnalysis): readonly string[] {
  return commandsOf(analysis).commands.flatMap((command) => {
    const [verb, ...args] = fromVerb(command.program, command.args)
    if (command.program !== 'git' || verb !== 'commit') return []
    return args.flatMap((arg, index) => {
      const [, ownValue] = /^(?:-[A-Za-z]*m|--message=|--trailer=)([^]+)$/.exec(arg) ?? []
      if (ownValue !== undefined) return [ownValue]
      return /^(?:-[A-Za-z]*m|--message|--trailer)$/.test(arg)
        ? args.slice(index + 1, index + 2)
        : []
    })
  })
}

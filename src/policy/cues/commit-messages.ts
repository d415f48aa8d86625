import type { CommandAnalysis } from '../shell/analyse-command.ts'
import { commandsOf } from './programs/commands-of.ts'

/** The messages that the commands `git commit` of a text are given as arguments. */
export function commitMessages(analysis: CommandAnalysis): readonly string[] {
  return commandsOf(analysis).flatMap(({ program, args: [verb, ...args] }) => {
    if (program !== 'git' || verb !== 'commit') return []
    return args.flatMap((arg, index) => {
      const [, ownValue] = /^(?:-[A-Za-z]*m|--message=)([^]+)$/.exec(arg) ?? []
      if (ownValue !== undefined) return [ownValue]
      return /^(?:-[A-Za-z]*m|--message)$/.test(arg) ? args.slice(index + 1, index + 2) : []
    })
  })
}

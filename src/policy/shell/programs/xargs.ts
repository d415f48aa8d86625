import type { Program } from './program.ts'

export const xargsProgram: Program = {
  names: ['xargs', 'parallel'],
  flags: null,
  runs: 'command',
  takesWords: true,
  never: 'runs a command with words that are not known yet',
}

import { flags, type Program } from './program.ts'

export const timeoutProgram: Program = {
  names: ['timeout'],
  flags: null,
  runs: 'command',
  wraps: flags('-k= -s= -v --foreground --kill-after= --preserve-status --signal= --verbose'),
  wrapsAfter: 1,
}

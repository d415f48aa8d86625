import { flags, type Program } from './program.ts'

export const niceProgram: Program = {
  names: ['nice'],
  flags: null,
  runs: 'command',
  wraps: flags('-# -n= --adjustment='),
}

import { flags, type Program } from './program.ts'

export const whichProgram: Program = {
  names: ['which'],
  flags: flags('-a'),
}

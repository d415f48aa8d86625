import { flags, type Program } from './program.ts'

export const seqProgram: Program = {
  names: ['seq', 'expr', 'factor'],
  flags: flags('-f= -s= -w --format= --separator= --equal-width'),
}

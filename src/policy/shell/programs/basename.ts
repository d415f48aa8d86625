import { flags, type Program } from './program.ts'

export const basenameProgram: Program = {
  names: ['basename', 'dirname'],
  flags: flags('-a -s= -z --multiple --suffix= --zero'),
}

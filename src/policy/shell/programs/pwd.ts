import { flags, type Program } from './program.ts'

export const pwdProgram: Program = {
  names: ['pwd'],
  flags: flags('-L -P --logical --physical'),
  readsFolder: true,
}

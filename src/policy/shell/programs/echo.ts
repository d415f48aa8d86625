import { flags, type Program } from './program.ts'

/** Whatever `echo` does not know as a flag it prints. */
export const echoProgram: Program = {
  names: ['echo'],
  flags: flags('-n -e -E -ne -en -nE'),
}

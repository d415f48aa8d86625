import { flags, type Program } from './program.ts'

export const tailProgram: Program = {
  names: ['tail'],
  flags: flags(
    '-# -n= -c= -q -v -z --lines= --bytes= --quiet --silent --verbose --zero-terminated',
  ),
}

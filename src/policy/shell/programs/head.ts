import { flags, type Program } from './program.ts'

export const headProgram: Program = {
  names: ['head'],
  flags: flags(
    '-# -n= -c= -q -v -z --lines= --bytes= --quiet --silent --verbose --zero-terminated',
  ),
}

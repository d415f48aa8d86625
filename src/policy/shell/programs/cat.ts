import { flags, type Program } from './program.ts'

export const catProgram: Program = {
  names: ['cat', 'tac'],
  flags: flags(
    '-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number',
    '--squeeze-blank --show-tabs --show-nonprinting',
  ),
}

import { flags, type Program } from './program.ts'

export const realpathProgram: Program = {
  names: ['realpath', 'readlink'],
  flags: flags(
    '-e -f -m -n -q -s -v -z -L -P --canonicalize --canonicalize-existing --canonicalize-',
    'missing --logical --physical --no-newline --quiet --silent --strip --no-symlinks',
    '--verbose --zero --relative-to= --relative-base=',
  ),
}

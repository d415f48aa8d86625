import { flags, type Program } from './program.ts'

export const commProgram: Program = {
  names: ['comm', 'join', 'paste'],
  flags: flags(
    '-1 -2 -3 -a= -d= -e= -i -j= -o= -s -t= -v= -z --check-order --nocheck-order --output-',
    'delimiter= --zero-terminated --header --serial --delimiters= --ignore-case',
  ),
}

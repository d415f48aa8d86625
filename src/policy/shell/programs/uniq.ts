import { atMost, flags, type Program } from './program.ts'

/** Its second operand is a file that it writes. */
export const uniqProgram: Program = {
  names: ['uniq'],
  flags: flags(
    '-c -d -D -f= -i -s= -u -w= -z --count --repeated --all-repeated? --skip-fields=',
    '--ignore-case --skip-chars= --unique --check-chars= --zero-terminated --group?',
  ),
  operands: atMost(1),
}

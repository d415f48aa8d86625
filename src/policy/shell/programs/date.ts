import { flags, type Program } from './program.ts'

/** `-s` and a bare operand set the clock, `-f` prints what a file holds. */
export const dateProgram: Program = {
  names: ['date'],
  flags: flags(
    '-I -u -R -d= --date= --iso-8601? --rfc-3339= --rfc-email --utc --universal -r=path',
    '--reference=path',
  ),
  operands: (operands) =>
    operands.every((operand) => operand.startsWith('+'))
      ? null
      : 'has an operand that sets the clock',
}

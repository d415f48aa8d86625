import { flags, type Program } from './program.ts'

/** The program, not the builtin, whose `-v` sets a variable and may run what its index says. */
export const printfProgram: Program = {
  names: ['printf'],
  flags: flags(),
}

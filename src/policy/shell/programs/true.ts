import { flags, type Program } from './program.ts'

export const succeedProgram: Program = {
  names: ['true', 'false'],
  flags: flags(),
}

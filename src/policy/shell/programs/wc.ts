import { flags, type Program } from './program.ts'

export const wcProgram: Program = {
  names: ['wc'],
  flags: flags('-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total='),
}

import { flags, type Program } from './program.ts'

export const statProgram: Program = {
  names: ['stat'],
  flags: flags('-c= -f -L -t --dereference --file-system --format= --printf= --terse'),
}

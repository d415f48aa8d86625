import { flags, type Program } from './program.ts'

export const trProgram: Program = {
  names: ['tr'],
  flags: flags('-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1'),
}

import { flags, type Program } from './program.ts'

export const nohupProgram: Program = {
  names: ['nohup'],
  flags: null,
  runs: 'command',
  wraps: flags(''),
}

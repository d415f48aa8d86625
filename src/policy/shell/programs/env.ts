import { flags, type Program } from './program.ts'

/** `-S` splits a text into a command, and assignments can change what any program does: without either it wraps. */
export const envProgram: Program = {
  names: ['env'],
  flags: null,
  runs: 'command',
  wraps: flags(''),
}

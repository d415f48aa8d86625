import type { Program } from './program.ts'

export const curlProgram: Program = {
  names: ['curl', 'wget'],
  flags: null,
  never: 'talks to other hosts, and reads and writes files by many of its options',
}

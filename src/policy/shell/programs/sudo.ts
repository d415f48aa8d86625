import type { Program } from './program.ts'

export const sudoProgram: Program = {
  names: ['sudo', 'doas', 'su', 'runuser', 'pkexec'],
  flags: null,
  runs: 'command',
  never: 'acts as somebody else',
}

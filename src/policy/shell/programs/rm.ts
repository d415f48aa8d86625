import type { Program } from './program.ts'

/** What removes, moves and changes: whoever pre-approves it means its bare words. */
export const rmProgram: Program = {
  names: ['rm', 'rmdir', 'cp', 'mv', 'chmod', 'chown', 'mkdir', 'ln', 'touch'],
  flags: null,
  sameFlags: [
    ['-r', '-R', '--recursive'],
    ['-f', '--force'],
  ],
}

import type { Program } from './program.ts'

/** What runs commands that a file names, or that somebody types into it. */
export const buildersProgram: Program = {
  names: [
    'make',
    'gmake',
    'ninja',
    'just',
    'vi',
    'vim',
    'nvim',
    'ed',
    'ex',
    'emacs',
    'less',
    'more',
    'man',
  ],
  runs: 'code',
  spellOut: 'all',
  flags: null,
}

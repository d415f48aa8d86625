import { flags, type Program } from './program.ts'

/** Its program can run commands and write files: a rule has to spell it out. */
export const awkProgram: Program = {
  names: ['awk', 'gawk', 'mawk', 'nawk'],
  flags: flags('-F= -v= --field-separator= --assign= --posix --re-interval'),
  runs: 'code',
  spellOut: 1,
  hidesCode: (words) => words.some((word) => /system|getline|[|@]/.test(word)),
}

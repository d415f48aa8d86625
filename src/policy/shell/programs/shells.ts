import { wordSet } from '#domain/text/word-set.ts'

/** Shells of the POSIX family: `-c` and a text run that text. */
export const shells = wordSet('sh bash dash ash ksh zsh')

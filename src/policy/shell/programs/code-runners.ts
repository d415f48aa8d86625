import { words } from '../../names/words.ts'
import { flags, type Program } from './program.ts'

/** Programs that run a script or code: of an argument, of a file or of their input. */
export const codeRunners: readonly Program[] = [
  // What can run a script that is written in an argument, in its input or in a file.
  {
    names: words(`
      sh bash dash zsh ksh mksh ash fish csh tcsh rbash eval source . trap alias ssh watch
      hyperfine script at batch entr expect screen tmux`),
    flags: null,
    runs: 'script',
    spellOut: 'all',
    readsScript: true,
  },
  // Languages: what they run has to be spelled out by the rule.
  {
    names: words(`
      python python2 python3 node nodejs deno bun perl ruby php lua luajit tclsh Rscript julia
      java osascript pwsh groovy scala elixir erl ghci irb tsx ts-node guile racket ocaml swift
      kotlin dart clojure raku octave R wish nu xonsh m4 dc sqlite3 psql mysql gnuplot`),
    flags: flags('-V --version -v --help'),
    runs: 'code',
    spellOut: 'all',
    hidesCode: (words) => words.some(isInline),
  },
  // Its program can run commands and write files: a rule has to spell it out.
  {
    names: ['awk', 'gawk', 'mawk', 'nawk'],
    flags: flags('-F= -v= --field-separator= --assign= --posix --re-interval'),
    runs: 'code',
    spellOut: 1,
    hidesCode: (words) => words.some((word) => /system|getline|[|@]/.test(word)),
  },
  // What runs commands that a file names, or that somebody types into it.
  {
    names: words('make gmake ninja just vim nvim ed ex emacs less more man'),
    runs: 'code',
    spellOut: 'all',
    flags: null,
  },
]

/** `-c`, `-e`, `-pe`, `--eval` and their kin; `-` is the input. */
function isInline(word: string): boolean {
  if (/^-(?:cp|classpath|-version|-help|[vVh])$/.test(word)) return false
  return /^-[A-Za-z]*[ceErR]|^-p$|^--?(?:eval|print|execute|exec|command)|^eval$|^-$/i.test(word)
}

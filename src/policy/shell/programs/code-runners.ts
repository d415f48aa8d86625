import { words } from '../../names/words.ts'
import { flags, type Program } from './program.ts'

/** Programs that run a script or code: from an argument, a file or their input. */
export const codeRunners: readonly Program[] = [
  // Programs that run a script from an argument, their input or a file.
  {
    names: words(`
      sh bash dash zsh ksh mksh ash fish csh tcsh rbash eval source . trap alias ssh watch
      hyperfine script at batch entr expect screen tmux pee mispipe vipe sops emulate yash posh osh ysh oksh
      loksh lksh pdksh elvish murex`),
    flags: null,
    runs: 'script',
    spellOut: 'all',
    readsScript: true,
  },
  // Interpreters of languages: the rule must spell out what they run.
  {
    names: words(`
      python python2 python3 node nodejs deno bun perl ruby php lua luajit tclsh Rscript julia
      java osascript pwsh groovy scala elixir erl ghci irb tsx ts-node guile racket ocaml swift
      kotlin dart clojure raku octave R wish nu xonsh m4 dc sqlite3 psql mysql gnuplot pypy ipython
      micropython jruby mruby qjs jimsh sbcl clisp ecl janet bb runghc runhaskell`),
    flags: flags('-V --version -v --help'),
    runs: 'code',
    spellOut: 'all',
    hidesCode: (words) => words.some(isInline),
  },
  // Its script can run commands and write files: the rule must spell it out.
  {
    names: ['awk', 'gawk', 'mawk', 'nawk'],
    // One block `BEGIN`, with braces in it, and nothing else.
    reads: {
      from: 1,
      idle: /^\s*BEGIN\s*\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}\s*$/,
    },
    flags: flags('-F= -v= --field-separator= --assign= --posix --re-interval'),
    runs: 'code',
    spellOut: 1,
    hidesCode: (words) => words.some((word) => /system|getline|[|@]/.test(word)),
  },
  // Programs that run commands from a file or from a terminal.
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

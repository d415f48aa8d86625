import { flags, type Program } from './program.ts'

/** Languages: what they run has to be spelled out by the rule. */
export const interpretersProgram: Program = {
  names: [
    'python',
    'python2',
    'python3',
    'node',
    'nodejs',
    'deno',
    'bun',
    'perl',
    'ruby',
    'php',
    'lua',
    'luajit',
    'tclsh',
    'Rscript',
    'julia',
    'java',
    'osascript',
    'pwsh',
    'groovy',
    'scala',
    'elixir',
    'erl',
    'ghci',
    'irb',
    'tsx',
    'ts-node',
    'guile',
    'racket',
    'ocaml',
    'swift',
    'kotlin',
    'dart',
    'clojure',
    'raku',
    'octave',
    'R',
    'wish',
    'nu',
    'xonsh',
    'm4',
    'dc',
    'sqlite3',
    'psql',
    'mysql',
    'gnuplot',
  ],
  flags: flags('-V --version -v --help'),
  runs: 'code',
  spellOut: 'all',
  hidesCode: (words) => words.some(isInline),
}

/** `-c`, `-e`, `-pe`, `--eval` and their kin; `-` is the input. */
function isInline(word: string): boolean {
  if (/^-(?:cp|classpath|-version|-help|[vVh])$/.test(word)) return false
  return /^-[A-Za-z]*[ceErR]|^-p$|^--?(?:eval|print|execute|exec|command)|^eval$|^-$/i.test(word)
}

import { programNamed } from '#policy/shell/programs/registry.ts'
import type { NamedWords, WordTexts } from './named-words.ts'

/**
 * What a command does with a file that it names, by its words. `runs`: the file may be a program.
 * `reads`: everything that the command runs only reads. `uses`: anything else.
 */
export type FileRole = 'runs' | 'reads' | 'uses'

/** Programs that never change or run the files that they name. */
const readers = new Set(
  `[ basename cat cd cksum cmp comm cut diff dirname du echo egrep false fgrep file fold grep head jq
  ls md5sum nl od paste printf pwd readlink realpath rev rg seq sha1sum sha256sum sha512sum shasum
  stat strings tac tail test tr tree true wc which`.split(/\s+/),
)

/** Programs that do not run the files they name, whatever the registry says of them. */
const handlers = new Set(
  `bat bzip2 clang-format column csplit dd dos2unix expand fmt gunzip gzip hexdump install join less
  more patch rename rsync shred split sponge tee truncate unexpand unix2dos unzip xxd xz zip
  zstd`.split(/\s+/),
)

const codeName =
  /(?:^|\/)(?:[^/]*\.(?:[cm]?[jt]sx?|[zk]?sh|bash|bats|fish|p[lmy]|pyw|rb|php|lua|tcl|r|jl|exs?|groovy|scala|kts?|clj|raku|ps1|psm1|awk|sed|mk|gradle|jar|class|wasm|so|dylib|nu|sql)|(?:GNU)?[Mm]akefile|[Jj]ustfile|Rakefile|Gemfile|Jenkinsfile|configure|gradlew|mvnw)$/i

/** The name of a program without a version at its end: `perl5.36` is `perl`. */
export function bareName(word: string): string {
  const name = word.slice(word.lastIndexOf('/') + 1).toLowerCase()
  return programNamed(name) === undefined ? name.replace(/(?<![-\d.])[-\d.]+$/, '') : name
}

/** Whether a file looks like code, by its name or its beginning. */
export function looksLikeCode(at: string, head: Uint8Array): boolean {
  const start = Buffer.from(head.subarray(0, 4)).toString('latin1')
  return codeName.test(at) || start.startsWith('#!') || start === '\x7fELF'
}

/** Whether everything that a command runs only reads what it names. */
export function onlyReads({ commands, isPlain }: NamedWords): boolean {
  return isPlain && commands.every((words) => (words[0] ?? []).every((name) => isReader(name)))
}

function isReader(name: string): boolean {
  return readers.has(name.slice(name.lastIndexOf('/') + 1))
}

/**
 * Tells whether the word at `index` may be a program of this command. For an unknown program, files
 * that look like code count; for an interpreter, everything up to its first operand. In doubt it
 * returns true: the command then runs a copy of the file as the approver read it. Reads the command
 * once, not for each of its words: it may have thousands.
 */
export function mayRunIn(words: WordTexts): (index: number, isCode: boolean) => boolean {
  const names = (words[0] ?? []).map(bareName)
  const scripts = scriptIndexes(words)
  const isTextProgram = names.every((name) => ['sed', 'awk'].includes(name))
  const isHandled = names.every((name) => isHandler(name, words))
  return (index, isCode) => {
    if (index === 0 || scripts.has(index)) return true
    if (isTextProgram) {
      return (
        /^(?:-[a-z]*f|--file)/.test(words[index - 1]?.[0] ?? '') ||
        /^(?:--file=|-[a-z]*f.)/.test(words[index]?.[0] ?? '')
      )
    }
    return isCode && !isHandled
  }
}

/** The words behind interpreters, up to the first operand that cannot be the value of an option. */
function scriptIndexes(words: WordTexts): ReadonlySet<number> {
  const isInPlace = editsInPlace(words)
  const indexes = new Set<number>()
  // Whether the next word may be the first operand of an interpreter, or the value of its option.
  let isFirst = false
  let isValue = false
  for (const [index, texts] of words.entries()) {
    const isBehind: boolean = isFirst || isValue
    if (isBehind) indexes.add(index)
    const [text = ''] = texts
    const isOption = /^[-+]/.test(text)
    const takesValue = isOption && !text.includes('=')
    isFirst = isOption ? isBehind && !takesValue : isValue
    isValue = isBehind && takesValue
    const names = texts.map(bareName)
    if (names.some((name) => runsFiles(name) && !(isInPlace && inPlaceEditors.has(name)))) {
      isFirst = true
    }
  }
  return indexes
}

function runsFiles(name: string): boolean {
  const runs = programNamed(name)?.runs
  return (runs === 'script' || runs === 'code') && !handlers.has(name) && !name.endsWith('awk')
}

function isHandler(name: string, words: WordTexts): boolean {
  if (handlers.has(name) || readers.has(name)) return true
  const program = programNamed(name)
  if (program === undefined || program.runs !== undefined) return rewrites(name, words)
  return !words.flat().some((word) => program.runsWith?.includes(word) === true && word !== '-c')
}

const inPlaceEditors = new Set(['perl', 'ruby'])

/** `perl -pi -e …` changes the files that it names. */
function rewrites(name: string, words: WordTexts): boolean {
  return inPlaceEditors.has(name) && editsInPlace(words)
}

function editsInPlace(words: WordTexts): boolean {
  return words.some(([word = '']) => /^-[a-z]*i(?:\.\w+)?$/.test(word))
}

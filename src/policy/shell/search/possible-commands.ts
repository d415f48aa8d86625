import { parse } from 'unbash'
import type { Command, ParsedScript } from 'unbash'
import type { Program } from '../programs/program.ts'
import { programNamed } from '../programs/registry.ts'
import { Effort, mostSteps } from '../spelling/effort.ts'
import { exactly, programName, type Spelling } from '../spelling/spelling.ts'
import { spellArgument } from '../spelling/spell-argument.ts'
import { spellWord, textsOf, type KnownValues } from '../spelling/spell-word.ts'
import { readableTexts, shellLimits } from '../text/odd-text.ts'
import { computedBy, computedTogether, elsewhere, type SpelledCommand } from './computed.ts'
import { scanTokens } from './scan-tokens.ts'
import { walkScript, type ScriptParts } from './walk-script.ts'

/** Words from a place on, at which a command may begin. */
export interface Reading {
  readonly words: readonly Spelling[]
  readonly from: number
}

/** One simple command, as asks and blocks are looked for in it. */
export interface PossibleCommand {
  readonly words: readonly Spelling[]
  /** commands that its words may hold: what a wrapper runs, what stands behind a name that is not known */
  readonly inner: readonly Reading[]
  /** of the script itself: its node; `null` when it was found in a text that a command runs */
  readonly node: Command | null
}

/** Everything that a text could mean. */
export interface Search {
  readonly commands: readonly PossibleCommand[]
  /** token lists of texts that are not understood; a command may begin at every token */
  readonly scanned: readonly (readonly string[])[]
  /** not all of it could be looked at: it is nested too deeply */
  readonly isTooDeep: boolean
  /** not all of it could be looked at: it means too much (effort.ts) */
  readonly isTooMuch: boolean
  /** why what it runs is known only when it runs, a sentence each; empty when the text says it all */
  readonly computed: readonly string[]
}

const deepest = 4

/** Every command that a script could run, over-approximated. `root` is its tree, if it has been parsed already. */
export function possibleCommands(script: string, root: ParsedScript | null): Search {
  const search = new Finding()
  for (const [index, text] of readableTexts(script).entries()) {
    search.addScript(text, index === 0 ? root : null, 0, index === 0)
    if (index > 0) search.scan(text)
  }
  return search
}

/** The same for an argument vector that no shell reads. */
export function possibleCommandsOf(argv: readonly string[]): Search {
  const search = new Finding()
  search.addWords(argv.map(exactly), null, 0, argv.join(' '), [])
  return search
}

class Finding implements Search {
  readonly commands: PossibleCommand[] = []
  readonly scanned: (readonly string[])[] = []
  readonly computed: string[] = []
  isTooDeep = false
  readonly #effort = new Effort(mostSteps.reading)
  readonly #spelled = new Map<Command, readonly Spelling[]>()
  readonly #seen = new Set<string>()
  readonly #parsed = new Set<string>()

  get isTooMuch(): boolean {
    return this.#effort.isSpent
  }

  addScript(text: string, tree: ParsedScript | null, depth: number, own: boolean): void {
    if (depth > deepest || Buffer.byteLength(text) > shellLimits.parsedBytes) {
      this.scan(text)
      return
    }
    if (tree === null && this.#parsed.size === this.#parsed.add(text).size) return
    if (!this.#effort.spend(text.length / 4)) return
    const root = tree ?? parse(text)
    if (root.errors !== undefined && root.errors.length > 0) this.scan(text)
    const spelled: SpelledCommand[] = []
    const parts = walkScript(root, this.#effort)
    if (parts.isTooDeep) this.isTooDeep = true
    const many = parts.commands.length > shellLimits.commands
    if (many) this.scan(text)
    let isFed = false
    for (const node of parts.commands) {
      if (this.#effort.isSpent) return
      const words = this.#wordsOf(node, parts.known)
      const others = many ? [] : this.#othersOf(parts, node, words)
      const added = this.addWords(words, own ? node : null, depth, text, others)
      isFed ||= added.isFed
      spelled.push({ node, words, runners: added.runners })
      if (parts.handers.has(node.name?.value ?? '')) {
        this.commands.push({ words: [], inner: readingsIn(words), node: null })
      }
    }
    for (const elements of parts.arrays) {
      const words = elements.flatMap((word) => spellWord(word, parts.known))
      this.addWords(words, null, depth, text, [])
    }
    for (const latent of parts.latent) this.addScript(latent, null, depth + 1, false)
    if (isFed) this.#addHanded(parts, depth)
    const written = parts.written.flatMap((word) => spellWord(word, parts.known))
    this.#compute(computedTogether(spelled, parts.handed, written, depth > 0))
    if (parts.known.values.has('PATH')) this.#compute(elsewhere)
  }

  #compute(why: string | null): void {
    if (why !== null) this.computed.push(why)
  }

  /** Some command reads a script from its input: whatever others print or hand on may be one. */
  #addHanded(parts: ScriptParts, depth: number): void {
    const printed = parts.commands.flatMap((node) => {
      const texts = this.#wordsOf(node, parts.known).map((word) => textsOf(word)[0] ?? '')
      return [...texts, texts.slice(1).join(' ')]
    })
    for (const text of new Set([...parts.handed, ...printed])) {
      if (isScript(text)) this.addScript(text, null, depth + 1, false)
    }
  }

  /**
   * `whole` is the text that the command stands in, `others` what it may be handed by other commands. Tells whether it
   * may read a script from its input, and which programs it may name.
   */
  addWords(
    words: readonly Spelling[],
    node: Command | null,
    depth: number,
    whole: string,
    others: readonly Spelling[],
  ): { readonly isFed: boolean; readonly runners: readonly Program[] } {
    const [first] = words
    const unknown = first === undefined || first.open
    const programs = programsOf(words, unknown ? words.length : 1)
    const runs = new Set(programs.map((program) => runsOf(program, words)))
    const wraps = unknown || runs.has('command') || runs.has('script')
    const inner: Reading[] = []
    this.#effort.spend(words.length + others.length)
    const runners = wraps ? programsOf(words, words.length) : programs
    if (wraps) {
      const all = others.length === 0 ? words : [...words, ...others]
      inner.push(...readingsIn(all))
      if (runners.some((program) => program.takesWords)) inner.push(...handedReadings(words))
    }
    const aliased = aliasReadings(words, programs)
    this.#effort.spend(aliased.length * words.length)
    inner.push(...aliased)
    this.commands.push({ words, inner, node })
    const runsInput = runners.some(
      ({ runs: kind }) => kind === 'script' || (kind === 'code' && readsInput(words)),
    )
    const isFed = runsInput || (unknown && words.length > 0)
    if (isFed) this.scan(whole)
    if (unknown || [...runs].some((kind) => kind !== undefined)) this.#addTexts(words, depth)
    if (programs.some((program) => program.runsText) && runs.has('script')) {
      // In `s/x/git push/e` the mark that ends a text is of the program's own making.
      for (const text of words.flatMap(textsOf)) this.scan(text.replaceAll('/', ' '))
    }
    this.#compute(computedBy(words, runners))
    return { isFed, runners }
  }

  /** Texts among the words that the program may run. */
  #addTexts(words: readonly Spelling[], depth: number): void {
    const texts = words.slice(1).flatMap(textsOf)
    if (!this.#effort.spend(2 * texts.length)) return
    for (const text of [...new Set(texts)].filter((one) => /[^A-Za-z0-9_./-]/.test(one))) {
      this.scan(text)
      const script = text.replace(/^(?:-{1,2}[A-Za-z-]+=?|!)/, '')
      // `alias x='git push'`: behind the name.
      const value = text.replace(/^[^\s=]+=/, '')
      for (const one of new Set([text, script, value, text.replace(/^-[A-Za-z]/, '')])) {
        if (isScript(one)) this.addScript(one, null, depth + 1, false)
      }
    }
    this.scan(texts.join(' '))
  }

  scan(text: string): void {
    if (this.#seen.has(text) || !this.#effort.spend(text.length / 4)) return
    this.#seen.add(text)
    this.scanned.push(...scanTokens(text))
  }

  #wordsOf(node: Command, known: KnownValues): readonly Spelling[] {
    let spelled = this.#spelled.get(node)
    if (spelled === undefined) {
      const name = node.name === undefined ? [] : spellWord(node.name, known)
      const rest = node.args.map((argument) => spellArgument(argument, known))
      spelled = [name, ...rest].flat()
      this.#spelled.set(node, spelled)
    }
    return spelled
  }

  /**
   * What `xargs` and its like may append, also behind a wrapper: the words of every other command, and what is handed on.
   */
  #othersOf(parts: ScriptParts, own: Command, words: readonly Spelling[]): readonly Spelling[] {
    const takesInput = programsOf(words, words.length).some((program) => program.takesWords)
    if (!takesInput) return []
    const printed = parts.commands
      .filter((node) => node !== own)
      .flatMap((node) => this.#wordsOf(node, parts.known).slice(1))
    const lines = [...printed.flatMap(textsOf), ...parts.handed].filter((text) =>
      /\s|\\/.test(text),
    )
    const split = lines.flatMap((text) => text.split(/(?:\\n|\\t|\s)+/))
    return [...printed, ...split.filter((text) => text !== '').map(exactly)]
  }
}

/** A command may begin at every word behind the first. */
function readingsIn(words: readonly Spelling[]): readonly Reading[] {
  return words.slice(1).map((_, index) => ({ words, from: index + 1 }))
}

/** What `xargs` and its like get from their input may be any words: behind the command, or where they are told to put them. */
function handedReadings(words: readonly Spelling[]): readonly Reading[] {
  const any: Spelling = { ways: [[]], open: true }
  const texts = words.map((word) => textsOf(word)[0] ?? '')
  const at = texts.findIndex((text) => /^(?:-[Ii]|--replace)/.test(text))
  const glued = texts[at]?.replace(/^(?:-[Ii]|--replace=?)/, '') ?? ''
  const mark = (glued === '' && texts[at] === '-I' ? texts[at + 1] : glued) || '{}'
  const from = at + (texts[at] === '-I' ? 2 : 1)
  const isPut = (index: number): boolean =>
    at >= 0 && index >= from && texts[index]?.includes(mark) === true
  const put = [...words.map((word, index) => (isPut(index) ? any : word)), any]
  // Only behind a wrapper, or as its own command, is what is handed over a command.
  const isWrapped = programsOf(words.slice(1), words.length).some(({ runs }) => runs !== undefined)
  const first = texts.findIndex((text, index) => index >= from && !text.startsWith('-'))
  return readingsIn(put).filter((one) => isWrapped || one.from === first || put[one.from] !== any)
}

/** A single plain word runs nothing that a rule of more than one word could mean, and a name alone is found anyway. */
function isScript(text: string): boolean {
  return /[\s;&|{$`]/.test(text)
}

/** What is known of the programs that the first so many words may name; of words that may vanish, the next counts too. */
function programsOf(words: readonly Spelling[], most: number): readonly Program[] {
  const names = new Set<string>()
  for (const [index, word] of words.entries()) {
    if (index >= most && !words.slice(0, index).every(mayVanish)) break
    for (const [field] of word.ways) if (field !== undefined) names.add(programName(field))
  }
  return [...names].flatMap((name) => programNamed(name) ?? [])
}

function mayVanish(word: Spelling): boolean {
  return word.open || word.ways.some((fields) => fields.length === 0)
}

function runsOf(program: Program, words: readonly Spelling[]): Program['runs'] {
  const { runs, runsWith = [], runsText } = program
  if (runs !== undefined) return runs
  if (runsText !== undefined) {
    return words
      .slice(1)
      .flatMap(textsOf)
      .some((text) => runsText.test(text))
      ? 'script'
      : undefined
  }
  const said = words.some((word) => textsOf(word).some((text) => runsWith.includes(text)))
  return said ? 'command' : undefined
}

/** An interpreter without a file to read, or with `-` for one, reads its input. */
function readsInput(words: readonly Spelling[]): boolean {
  return words.slice(1).every((word) => textsOf(word).some((text) => text.startsWith('-')))
}

/** `git -c alias.x=push x`: what a setting given with the call makes of a name. */
function aliasReadings(
  words: readonly Spelling[],
  programs: readonly { readonly aliases?: RegExp }[],
): readonly Reading[] {
  const pattern = programs.find((program) => program.aliases !== undefined)?.aliases
  const [name, ...rest] = words
  if (pattern === undefined || name === undefined) return []
  return rest.flatMap((word, index) =>
    textsOf(word).flatMap((text) => {
      const found = pattern.exec(text)?.[1]
      if (found === undefined) return []
      const spelled = found.split(/\s+/).map(exactly)
      return [{ words: [name, ...spelled, ...rest.slice(index + 2)], from: 0 }]
    }),
  )
}

import { parse, type Command, type ParsedScript } from 'unbash'
import type { Program } from '../programs/program.ts'
import { Budget, maxSteps } from '../spelling/budget.ts'
import { exactly, type Spelling } from '../spelling/spelling.ts'
import { spellArgument, spellWord, textsOf, type KnownValues } from '../spelling/spell-word.ts'
import { readableTexts, shellLimits } from '../text/odd-text.ts'
import {
  whyComputed,
  whyComputedTogether,
  pathChanged,
  type SpelledCommand,
} from './why-computed.ts'
import { scanTokens } from './scan-tokens.ts'
import { walkScript, type ScriptParts } from './walk-script.ts'
import {
  type CommandStart,
  startsIn,
  inputStarts,
  aliasStarts,
  plainGitWords,
} from './command-starts.ts'
import { optionWords, programsOf, runsOf, readsInput } from './programs-of.ts'

/** One simple command, as asks and blocks examine it. */
export interface PossibleCommand {
  readonly words: readonly Spelling[]
  /** commands that its words may contain: that of a wrapper, those after an unknown name */
  readonly inner: readonly CommandStart[]
  /** its node in the script; `null` for a command in a text that another command runs */
  readonly node: Command | null
  /** it is a copy of another command, with the name of the program that a link leads to */
  readonly isLinked?: true
}

/** Everything that a text could mean. */
export interface Search {
  readonly commands: readonly PossibleCommand[]
  /** token lists of texts that are not understood; a command may begin at every token */
  readonly scanned: readonly (readonly string[])[]
  /** a part of it was not analysed: it is nested too deeply */
  readonly isTooDeep: boolean
  /** a part of it was not analysed: it means too much (budget.ts) */
  readonly isTooMuch: boolean
  /** a nested or long text in it was only scanned for tokens, and its commands are not known */
  readonly isPartial: boolean
  /** why parts of it are unknown before it runs, as sentences; empty: the text shows all */
  readonly computed: readonly string[]
}

const maxDepth = 4

/** The names in a text that lead to another program, with that program's name. */
export type LinkedNames = ReadonlyMap<string, string>

const noLinks: LinkedNames = new Map()

/** Every command that a script could run, over-approximated. `root`: its tree, if parsed. */
export function possibleCommands(
  script: string,
  root: ParsedScript | null,
  budget = new Budget(maxSteps.reading),
  links = noLinks,
): Search {
  const search = new CommandSearch(budget, links)
  for (const [index, text] of readableTexts(script).entries()) {
    search.addScript(text, index === 0 ? root : null, 0, index === 0)
    if (index > 0) search.scan(text)
  }
  return search
}

/** The same for an argument vector that no shell reads. */
export function possibleCommandsOf(argv: readonly string[], links = noLinks): Search {
  const search = new CommandSearch(new Budget(maxSteps.reading), links)
  search.addCommand(argv.map(exactly), null, 0, argv.join(' '), [])
  return search
}

class CommandSearch implements Search {
  readonly commands: PossibleCommand[] = []
  readonly scanned: (readonly string[])[] = []
  readonly computed: string[] = []
  isTooDeep = false
  isPartial = false
  readonly #budget: Budget
  readonly #links: LinkedNames
  /** words that are the names of linked programs, which are not followed again */
  readonly #followed = new WeakSet<Spelling>()
  readonly #spelled = new Map<Command, readonly Spelling[]>()
  readonly #seen = new Set<string>()
  readonly #parsed = new Set<string>()

  constructor(budget: Budget, links: LinkedNames) {
    this.#budget = budget
    this.#links = links
  }

  get isTooMuch(): boolean {
    return this.#budget.isSpent
  }

  addScript(text: string, tree: ParsedScript | null, depth: number, isOwn: boolean): void {
    if (depth > maxDepth || Buffer.byteLength(text) > shellLimits.parsedBytes) {
      if (!this.#parsed.has(text)) this.isPartial = true
      this.scan(text)
      return
    }
    if (tree === null && this.#parsed.size === this.#parsed.add(text).size) return
    if (!this.#budget.spend(text.length / 4)) return
    const root = tree ?? parse(text)
    if (root.errors !== undefined && root.errors.length > 0) this.scan(text)
    const spelledCommands: SpelledCommand[] = []
    const parts = walkScript(root, this.#budget)
    if (parts.isTooDeep) this.isTooDeep = true
    const hasTooMany = parts.commands.length > shellLimits.commands
    if (hasTooMany) this.scan(text)
    let isFed = false
    for (const node of parts.commands) {
      if (this.#budget.isSpent) return
      const words = this.#wordsOf(node, parts.values)
      const inputWords = hasTooMany ? [] : this.#inputWordsOf(parts, node, words)
      const added = this.addCommand(words, isOwn ? node : null, depth, text, inputWords)
      isFed ||= added.isFed
      spelledCommands.push({ words, runners: added.runners })
      if (parts.argumentForwarders.has(node.name?.value ?? '')) {
        const inner = startsIn(words)
        this.commands.push({ words: [], inner, node: null })
        this.#addLinked(inner, depth, text, inputWords)
      }
    }
    for (const elements of parts.arrays) {
      const words = elements.flatMap((word) => spellWord(word, parts.values))
      this.addCommand(words, null, depth, text, [])
    }
    for (const latentScript of parts.latentScripts)
      this.addScript(latentScript, null, depth + 1, false)
    if (isFed) this.#addInputScripts(parts, depth)
    const writtenTexts = parts.writtenFiles.flatMap((word) => spellWord(word, parts.values))
    this.#addComputed(
      whyComputedTogether(spelledCommands, parts.inputTexts, writtenTexts, depth > 0),
    )
    if (parts.values.values.has('PATH')) this.#addComputed(pathChanged)
  }

  #addComputed(why: string | null): void {
    if (why !== null) this.computed.push(why)
  }

  /** If some command reads a script from its input, the output of any other may be one. */
  #addInputScripts(parts: ScriptParts, depth: number): void {
    const printed = parts.commands.flatMap((node) => {
      const texts = this.#wordsOf(node, parts.values).map((word) => textsOf(word)[0] ?? '')
      return [...texts, texts.slice(1).join(' ')]
    })
    for (const text of new Set([...parts.inputTexts, ...printed])) {
      if (isScript(text)) this.addScript(text, null, depth + 1, false)
    }
  }

  /**
   * `sourceText` is the text that contains the command, `inputWords` the words it may get from
   * other commands. Returns whether it may read a script from its input, and which programs it may
   * name.
   */
  addCommand(
    words: readonly Spelling[],
    node: Command | null,
    depth: number,
    sourceText: string,
    inputWords: readonly Spelling[],
  ): { readonly isFed: boolean; readonly runners: readonly Program[] } {
    const [first] = words
    const isUnknown = first === undefined || first.isOpen
    const programs = programsOf(words, isUnknown ? words.length : 1)
    const runs = new Set(programs.map((program) => runsOf(program, words)))
    const wraps = isUnknown || runs.has('command') || runs.has('script')
    const inner: CommandStart[] = []
    this.#budget.spend(words.length + inputWords.length)
    const runners = wraps ? programsOf(words, words.length) : programs
    if (wraps) {
      const allWords = inputWords.length === 0 ? words : [...words, ...inputWords]
      inner.push(...startsIn(allWords))
      if (runners.some((program) => program.takesInputWords)) inner.push(...inputStarts(words))
    }
    inner.push(...aliasStarts(words, programs, this.#budget))
    const valueWords = programs.flatMap((program) => optionWords(program, words))
    inner.push(...valueWords.map((word) => ({ words: [word], from: 0 })))
    this.commands.push({ words, inner, node })
    const runsInput = runners.some(
      ({ runs: kind }) => kind === 'script' || (kind === 'code' && readsInput(words)),
    )
    const isFed = runsInput || (isUnknown && words.length > 0)
    if (isFed) this.scan(sourceText)
    if (isUnknown || [...runs].some((kind) => kind !== undefined)) {
      this.#addTexts(words.slice(1), depth)
    }
    if (valueWords.length > 0) this.#addTexts(valueWords, depth)
    if (programs.some((program) => program.runsText) && runs.has('script')) {
      // In `s/x/git push/e` the program itself defines the delimiter of the text.
      for (const text of words.flatMap(textsOf)) this.scan(text.replaceAll('/', ' '))
    }
    const gitWords = plainGitWords(words)
    if (gitWords !== null) this.addCommand(gitWords, null, depth, sourceText, inputWords)
    const named = [...new Set([...runners, ...programsOf(valueWords, valueWords.length)])]
    this.#addComputed(whyComputed(words, named))
    const starts = [{ words, from: 0 }, ...inner]
    const linked = this.#addLinked(starts, depth, sourceText, inputWords)
    return {
      isFed: isFed || linked.some((one) => one.isFed),
      runners: [...named, ...linked.flatMap((one) => one.runners)],
    }
  }

  /** Adds the commands that begin with a link, as commands of the program to which it leads. */
  #addLinked(
    starts: readonly CommandStart[],
    depth: number,
    sourceText: string,
    inputWords: readonly Spelling[],
  ) {
    if (this.#links.size === 0) return []
    return [...Map.groupBy(starts, (start) => start.words)].flatMap(([words, places]) => {
      const linked = [...words]
      for (const { from } of places) {
        const word = words[from]
        if (word !== undefined) linked[from] = this.#followedWord(word, from === 0)
      }
      const isSame = linked.every((word, index) => word === words[index])
      return isSame || this.#budget.isSpent
        ? []
        : [this.addCommand(linked, null, depth, sourceText, inputWords)]
    })
  }

  /** A word, or what it is where links are followed. */
  #followedWord(word: Spelling, isFirst: boolean): Spelling {
    if (this.#links.size === 0 || this.#followed.has(word)) return word
    const alternatives = word.alternatives.flatMap(([name = '', ...more]) => {
      const program = isFirst || name.includes('/') ? this.#links.get(name) : undefined
      return program === undefined ? [] : [[program, ...more]]
    })
    if (alternatives.length === 0) return word
    // Behind a wrapper, the word may be an operand, which keeps its own name.
    const own = isFirst ? [] : word.alternatives
    const linked = { alternatives: [...alternatives, ...own], isOpen: false }
    this.#followed.add(linked)
    return linked
  }

  /** Texts among the words that the program may run. */
  #addTexts(words: readonly Spelling[], depth: number): void {
    const texts = words.flatMap(textsOf)
    if (!this.#budget.spend(2 * texts.length)) return
    for (const text of [...new Set(texts)].filter((candidate) =>
      /[^A-Za-z0-9_./-]/.test(candidate),
    )) {
      this.scan(text)
      const script = text.replace(/^(?:-{1,2}[A-Za-z-]+=?|!)/, '')
      // `alias x='git push'`: the text after the name.
      const value = text.replace(/^[^\s=]+=/, '')
      // `ext::git push`, `EXEC:git push`
      const address = text.replace(/^\w+:+/, '')
      const glued = text.replace(/^-[A-Za-z]/, '')
      for (const candidate of new Set([text, script, value, address, glued])) {
        if (isScript(candidate)) this.addScript(candidate, null, depth + 1, false)
      }
    }
    this.scan(texts.join(' '))
  }

  scan(text: string): void {
    if (this.#seen.has(text) || !this.#budget.spend(text.length / 4)) return
    this.#seen.add(text)
    for (const tokens of scanTokens(text)) {
      this.scanned.push(tokens)
      for (const [index, token] of tokens.entries()) {
        const program = this.#links.get(token)
        // The words after the name of a program keep their own names.
        if (program === undefined || !this.#budget.spend(tokens.length - index)) continue
        this.scanned.push([program, ...tokens.slice(index + 1)])
      }
    }
  }

  #wordsOf(node: Command, knownValues: KnownValues): readonly Spelling[] {
    let spellings = this.#spelled.get(node)
    if (spellings === undefined) {
      const name = node.name === undefined ? [] : spellWord(node.name, knownValues)
      const rest = node.args.map((argument) => spellArgument(argument, knownValues))
      spellings = [name, ...rest].flat()
      this.#spelled.set(node, spellings)
    }
    return spellings
  }

  /**
   * The words that `xargs` and similar programs may append, also inside of a wrapper: those of
   * every other command, and forwarded ones.
   */
  #inputWordsOf(parts: ScriptParts, own: Command, words: readonly Spelling[]): readonly Spelling[] {
    const followed = words.map((word, index) => this.#followedWord(word, index === 0))
    const takesInput = [words, followed].some((list) =>
      programsOf(list, list.length).some((program) => program.takesInputWords),
    )
    if (!takesInput) return []
    const printed = parts.commands
      .filter((node) => node !== own)
      .flatMap((node) => this.#wordsOf(node, parts.values).slice(1))
    const lines = [...printed.flatMap(textsOf), ...parts.inputTexts].filter((text) =>
      /\s|\\/.test(text),
    )
    const characters = lines.reduce((sum, text) => sum + text.length, 0)
    if (!this.#budget.spend(characters / 16)) return []
    const split = lines.flatMap((text) => text.split(/(?:\\n|\\t|\s)+/))
    return [...printed, ...split.filter((text) => text !== '').map(exactly)]
  }
}

/**
 * A single plain word runs nothing that a rule of more than one word could match, and a name alone
 * is found anyway.
 */
function isScript(text: string): boolean {
  return /[\s;&|{$`]/.test(text)
}

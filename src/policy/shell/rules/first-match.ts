import type { ShellRule } from '../../policy.ts'
import type { PossibleCommand, Search } from '../search/possible-commands.ts'
import { Effort, mostSteps } from '../spelling/effort.ts'
import { exactly, programName, type Spelling } from '../spelling/spelling.ts'
import { couldMatch, mayMatch, type Matching } from './could-match.ts'
import { readWord } from './read-word.ts'
import { tokenPattern, type TokenPattern } from './token-pattern.ts'

/** More places than this at which a command may begin are not judged one by one, but all rules by all of them. */
const mostStarts = 100

/** Rules in their order, and by the name of the program they speak of. */
interface RuleIndex {
  readonly all: readonly Indexed[]
  readonly byName: ReadonlyMap<string, readonly Indexed[]>
}

interface Indexed {
  readonly order: number
  readonly rule: ShellRule
  readonly pattern: TokenPattern
}

const indexes = new WeakMap<readonly ShellRule[], RuleIndex>()

/** The rules that ask or block, by name. Kept with the list. */
function indexOf(rules: readonly ShellRule[]): RuleIndex {
  let index = indexes.get(rules)
  if (index === undefined) {
    const all = rules.flatMap((rule, order) =>
      rule.consent.approval === 'preApproved'
        ? []
        : [{ order, rule, pattern: tokenPattern(rule.pattern) }],
    )
    index = { all, byName: Map.groupBy(all, ({ pattern }) => pattern.name) }
    indexes.set(rules, index)
  }
  return index
}

/** The first rule that asks or blocks and could mean the words from a place on; those that pre-approve are passed over. */
export function firstOver(
  rules: readonly ShellRule[],
  words: readonly Spelling[],
  from: number,
  effort: Effort,
): ShellRule | null {
  const matching = { effort }
  const found = beginning(indexOf(rules), words[from]).find(
    ({ pattern }) =>
      effort.spend(1) &&
      mayMatch(pattern, words, effort) &&
      couldMatch(pattern, words, from, matching),
  )
  return found?.rule ?? null
}

/** The rules that a command with this first word could be one of. */
function beginning(index: RuleIndex, first: Spelling | undefined): readonly Indexed[] {
  if (first === undefined || first.open) return index.all
  const names = new Set<string>()
  for (const [field] of readWord(first).ways) {
    if (field === undefined || field.unclear !== null) return index.all
    names.add(field.name)
  }
  const lists = [...names].map((name) => index.byName.get(name) ?? [])
  return lists.length === 1
    ? (lists[0] ?? [])
    : lists.flat().toSorted((one, other) => one.order - other.order)
}

/** Every rule that some reading of what a command holds meets first: what a wrapper runs, what a name may stand for. */
export function innerMatches(
  rules: readonly ShellRule[],
  command: PossibleCommand,
  effort: Effort,
): readonly ShellRule[] {
  const { inner } = command
  if (inner.length > mostStarts) {
    return [...new Set(inner.map(({ words }) => words))].flatMap((words) =>
      anywhere(rules, words, effort),
    )
  }
  return inner.flatMap(({ words, from }) => firstOver(rules, words, from, effort) ?? [])
}

/** Every rule that a text which is not understood meets, wherever in it a command may begin. */
export function scanMatches(
  rules: readonly ShellRule[],
  search: Search,
  effort: Effort,
): readonly ShellRule[] {
  const { byName } = indexOf(rules)
  const early = new Map(rules.map((rule, order) => [rule, order]))
  const free = rules.filter((rule) => rule.consent.approval === 'preApproved')
  return search.scanned.flatMap((tokens) => {
    const starts = tokens.flatMap((token, at) => (byName.has(programName(token)) ? [at] : []))
    if (!effort.spend(tokens.length) || starts.length === 0) return []
    const words = tokens.map(exactly)
    if (starts.length > mostStarts) return anywhere(rules, words, effort)
    return starts.flatMap((from) => {
      const rule = firstOver(rules, words, from, effort)
      if (rule === null) return []
      const order = early.get(rule) ?? 0
      const isFree = free.some(
        (one) =>
          (early.get(one) ?? 0) < order &&
          one.pattern.every((token, index) => tokens[from + index] === token),
      )
      return isFree ? [] : [rule]
    })
  })
}

function anywhere(
  rules: readonly ShellRule[],
  words: readonly Spelling[],
  effort: Effort,
): readonly ShellRule[] {
  const matching = { anywhere: true, effort }
  return indexOf(rules).all.flatMap(({ rule, pattern }) =>
    effort.spend(1) && mayMatch(pattern, words, effort) && couldMatch(pattern, words, 0, matching)
      ? [rule]
      : [],
  )
}

/** Could some command that a text may mean be the pattern's? For `when.command` (workers-and-policy.md). */
export function someCommandMatches(
  tokens: readonly string[],
  search: Search,
  matching: Matching = {},
): boolean {
  const pattern = tokenPattern(tokens)
  const matches = (words: readonly Spelling[], from: number, more?: Matching): boolean =>
    (matching.openIsAny === true || mayMatch(pattern, words)) &&
    couldMatch(pattern, words, from, { ...matching, ...more })
  return (
    search.commands.some(({ words, inner }) => {
      if (matches(words, 0)) return true
      if (inner.length <= mostStarts) return inner.some((one) => matches(one.words, one.from))
      const lists = [...new Set(inner.map((one) => one.words))]
      return lists.some((list) => matches(list, 0, { anywhere: true }))
    }) ||
    search.scanned.some((texts) => {
      const named = texts.some((token) => programName(token) === pattern.name)
      return named && matches(texts.map(exactly), 0, { anywhere: true })
    })
  )
}

/** What holding rules against one text may cost. */
export function matchingEffort(): Effort {
  return new Effort(mostSteps.matching)
}

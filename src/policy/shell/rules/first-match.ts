import type { ShellRule } from '../../worker-definition.ts'
import type { PossibleCommand, Search } from '../search/possible-commands.ts'
import { Budget, maxSteps } from '../spelling/budget.ts'
import { gitCommand, programNames } from '../programs/program-names.ts'
import { exactly, programName, type Spelling } from '../spelling/spelling.ts'
import { couldMatch, hasAllTokens, type MatchOptions } from './could-match.ts'
import { parseWord } from './parse-word.ts'
import { tokenPattern, type TokenPattern } from './token-pattern.ts'

/**
 * If a command may begin at more places than this, the rules are searched in the whole text, and
 * not compared with each place.
 */
const maxStarts = 100

/** Rules in their order, by the name of their program. */
interface RuleIndex {
  readonly restrictions: readonly IndexedRule[]
  readonly byName: ReadonlyMap<string, readonly IndexedRule[]>
}

interface IndexedRule {
  readonly order: number
  readonly rule: ShellRule
  readonly pattern: TokenPattern
}

const indexes = new WeakMap<readonly ShellRule[], RuleIndex>()

/** The rules that ask or block, by name. Kept with the list. */
function indexOf(rules: readonly ShellRule[]): RuleIndex {
  let index = indexes.get(rules)
  if (index === undefined) {
    const restrictions = rules.flatMap((rule, order) =>
      rule.consent.approval === 'preApproved'
        ? []
        : [{ order, rule, pattern: tokenPattern(rule.pattern) }],
    )
    index = { restrictions, byName: Map.groupBy(restrictions, ({ pattern }) => pattern.name) }
    indexes.set(rules, index)
  }
  return index
}

/**
 * The first rule that asks or blocks and could match the words from a place on; rules that
 * pre-approve are skipped.
 */
export function firstRestriction(
  rules: readonly ShellRule[],
  words: readonly Spelling[],
  from: number,
  budget: Budget,
): ShellRule | null {
  const matching = { budget }
  const match = rulesForFirstWord(indexOf(rules), words[from]).find(
    ({ pattern }) =>
      budget.spend(1) &&
      hasAllTokens(pattern, words, budget) &&
      couldMatch(pattern, words, from, matching),
  )
  return match?.rule ?? null
}

/** The rules that could match a command with this first word. */
function rulesForFirstWord(index: RuleIndex, first: Spelling | undefined): readonly IndexedRule[] {
  if (first === undefined || first.isOpen) return index.restrictions
  const names = new Set<string>()
  for (const [field] of parseWord(first).alternatives) {
    if (field === undefined || field.alternatePattern !== null) return index.restrictions
    for (const name of field.names) names.add(name)
    if (field.gitCommand !== null) names.add('git')
  }
  const lists = [...names].map((name) => index.byName.get(name) ?? [])
  return lists.length === 1 ? (lists[0] ?? []) : lists.flat().toSorted((a, b) => a.order - b.order)
}

/**
 * The first rule that matches each possible meaning of a command inside another one: the command
 * that a wrapper runs, or what an alias stands for.
 */
export function innerRestrictions(
  rules: readonly ShellRule[],
  command: PossibleCommand,
  budget: Budget,
): readonly ShellRule[] {
  const { inner } = command
  if (inner.length > maxStarts) {
    return [...new Set(inner.map(({ words }) => words))].flatMap((words) =>
      restrictionsAnywhere(rules, words, budget),
    )
  }
  return inner.flatMap(({ words, from }) => firstRestriction(rules, words, from, budget) ?? [])
}

/**
 * For texts that the parser does not understand: the first rule that matches at each place where a
 * command may begin.
 */
export function scannedRestrictions(
  rules: readonly ShellRule[],
  search: Search,
  budget: Budget,
): readonly ShellRule[] {
  const { byName } = indexOf(rules)
  const orderOf = new Map(rules.map((rule, order) => [rule, order]))
  const preApproving = rules.filter((rule) => rule.consent.approval === 'preApproved')
  return search.scanned.flatMap((tokens) => {
    const starts = tokens.flatMap((token, at) =>
      startNames(token).some((name) => byName.has(name)) ? [at] : [],
    )
    if (!budget.spend(tokens.length) || starts.length === 0) return []
    const words = tokens.map(exactly)
    if (starts.length > maxStarts) return restrictionsAnywhere(rules, words, budget)
    return starts.flatMap((from) => {
      const rule = firstRestriction(rules, words, from, budget)
      if (rule === null) return []
      const order = orderOf.get(rule) ?? 0
      const isPreApproved = preApproving.some(
        (approved) =>
          (orderOf.get(approved) ?? 0) < order &&
          approved.pattern.every((token, index) => tokens[from + index] === token),
      )
      return isPreApproved ? [] : [rule]
    })
  })
}

/** The names of the programs that a command beginning with this token may mean. */
function startNames(token: string): readonly string[] {
  const name = programName(token)
  const names = programNames(name)
  return gitCommand(name) === null ? names : [...names, 'git']
}

function restrictionsAnywhere(
  rules: readonly ShellRule[],
  words: readonly Spelling[],
  budget: Budget,
): readonly ShellRule[] {
  const matching = { anywhere: true, budget }
  return indexOf(rules).restrictions.flatMap(({ rule, pattern }) =>
    budget.spend(1) &&
    hasAllTokens(pattern, words, budget) &&
    couldMatch(pattern, words, 0, matching)
      ? [rule]
      : [],
  )
}

/**
 * Whether any command that the text may run could match the pattern. For `when.command`
 * (workers-and-policy.md).
 */
export function someCommandMatches(
  tokens: readonly string[],
  search: Search,
  matching: MatchOptions = {},
): boolean {
  const pattern = tokenPattern(tokens)
  const matches = (words: readonly Spelling[], from: number, more?: MatchOptions): boolean =>
    (matching.openIsAny === true || hasAllTokens(pattern, words)) &&
    couldMatch(pattern, words, from, { ...matching, ...more })
  return (
    search.commands.some(({ words, inner }) => {
      if (matches(words, 0)) return true
      if (inner.length <= maxStarts) return inner.some((start) => matches(start.words, start.from))
      const lists = [...new Set(inner.map((start) => start.words))]
      return lists.some((list) => matches(list, 0, { anywhere: true }))
    }) ||
    search.scanned.some((texts) => {
      const named = texts.some((token) => startNames(token).includes(pattern.name))
      return named && matches(texts.map(exactly), 0, { anywhere: true })
    })
  )
}

/** The budget for matching rules against one text. */
export function matchingBudget(): Budget {
  return new Budget(maxSteps.matching)
}

import type { ShellRule } from '../../policy.ts'
import type { PossibleCommand, Search } from '../search/possible-commands.ts'
import { anyCharacter, anyText, exactly, programName, type Spelling } from '../spelling/spelling.ts'
import { couldMatch, tokenPattern } from './token-pattern.ts'

/** More places than this at which a command may begin are not judged one by one, but all rules by all of them. */
const mostStarts = 100

/** The first rule that asks or blocks and could mean the words from a place on; those that pre-approve are passed over. */
export function firstOver(
  rules: readonly ShellRule[],
  words: readonly Spelling[],
  from: number,
): ShellRule | null {
  const found = rules.find(
    (rule) =>
      rule.consent.approval !== 'preApproved' &&
      couldMatch(tokenPattern(rule.pattern), words, from),
  )
  return found ?? null
}

/** Every rule that some reading of what a command holds meets first: what a wrapper runs, what a name may stand for. */
export function innerMatches(
  rules: readonly ShellRule[],
  command: PossibleCommand,
): readonly ShellRule[] {
  const { inner } = command
  if (inner.length > mostStarts) {
    return [...new Set(inner.map(({ words }) => words))].flatMap((words) => anywhere(rules, words))
  }
  return inner.flatMap(({ words, from }) => firstOver(rules, words, from) ?? [])
}

/** Every rule that a text which is not understood meets, wherever in it a command may begin. */
export function scanMatches(rules: readonly ShellRule[], search: Search): readonly ShellRule[] {
  const names = new Set(rules.map((rule) => tokenPattern(rule.pattern).name))
  return search.scanned.flatMap((tokens) => {
    const starts = tokens.flatMap((token, index) => (names.has(programName(token)) ? [index] : []))
    if (starts.length === 0) return []
    const words = tokens.map(exactly)
    if (starts.length > mostStarts) return anywhere(rules, words)
    return starts.flatMap((from) => {
      const rule = rules.find(({ pattern, consent }) =>
        consent.approval === 'preApproved'
          ? pattern.every((token, index) => tokens[from + index] === token)
          : couldMatch(tokenPattern(pattern), words, from),
      )
      return rule === undefined || rule.consent.approval === 'preApproved' ? [] : [rule]
    })
  })
}

function anywhere(rules: readonly ShellRule[], words: readonly Spelling[]): readonly ShellRule[] {
  const names = new Set(words.flatMap(({ ways }) => ways.flat().map(programName)))
  const isUnclear =
    words.some((word) => word.open) ||
    [...names].some((name) => name.includes(anyText) || name.includes(anyCharacter))
  return rules.filter(({ pattern, consent }) => {
    const compiled = tokenPattern(pattern)
    if (consent.approval === 'preApproved' || !(isUnclear || names.has(compiled.name))) return false
    return couldMatch(compiled, words, 0, true)
  })
}

/** Could some command that a text may mean be the pattern's? For `when.command` (workers-and-policy.md). */
export function someCommandMatches(pattern: readonly string[], search: Search): boolean {
  const compiled = tokenPattern(pattern)
  return (
    search.commands.some(
      ({ words, inner }) =>
        couldMatch(compiled, words, 0) ||
        inner.some((reading) => couldMatch(compiled, reading.words, reading.from)),
    ) ||
    search.scanned.some((tokens) => {
      const named = tokens.some((token) => programName(token) === compiled.name)
      return named && couldMatch(compiled, tokens.map(exactly), 0, true)
    })
  )
}

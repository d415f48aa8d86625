import type { Budget } from './budget.ts'

/** More words than this are not listed. */
export const maxWords = 128

/**
 * The words that unquoted braces make of one word's source text: `{git,push}` is `git` and `push`,
 * `{a..c}` is `a`, `b`, `c`. Without such braces, the text itself. Beyond `maxWords`, the first of
 * them and one more.
 */
export function expandBraces(text: string, budget: Budget): readonly string[] {
  return expand(text, 0, budget)
}

function expand(text: string, depth: number, budget: Budget): readonly string[] {
  const group = depth > 8 || !text.includes('{') ? null : firstGroup(text, budget)
  if (group === null) return [text]
  const prefix = text.slice(0, group.start)
  const suffixes = expand(text.slice(group.end + 1), depth + 1, budget)
  const words: string[] = []
  for (const option of group.options) {
    for (const inner of expand(option, depth + 1, budget)) {
      for (const suffix of suffixes) {
        if (words.length <= maxWords) words.push(prefix + inner + suffix)
      }
    }
  }
  return words
}

interface Group {
  readonly start: number
  readonly end: number
  readonly options: readonly string[]
}

/** The first brace group that expands: one with a comma at its own level, or a sequence. */
function firstGroup(text: string, budget: Budget): Group | null {
  for (let start = 0; start < text.length; start = nextIndex(text, start)) {
    if (text[start] !== '{') continue
    // The search for the end of an open brace reads the rest of the text, once for each.
    if (!budget.spend((text.length - start) / 16)) return null
    const group = groupAt(text, start)
    if (group !== null) return group
  }
  return null
}

function groupAt(text: string, start: number): Group | null {
  const commas: number[] = []
  let depth = 0
  for (let at = start; at < text.length; at = nextIndex(text, at)) {
    if (text[at] === '{') depth += 1
    else if (text[at] === ',' && depth === 1) commas.push(at)
    else if (text[at] === '}') {
      depth -= 1
      if (depth > 0) continue
      const inner = text.slice(start + 1, at)
      if (commas.length === 0) {
        const options = sequence(inner)
        return options === null ? null : { start, end: at, options }
      }
      const cuts = [start, ...commas, at]
      const options = cuts.slice(1).map((cut, index) => text.slice((cuts[index] ?? 0) + 1, cut))
      return { start, end: at, options }
    }
  }
  return null
}

function sequence(inner: string): readonly string[] | null {
  const letters = /^([A-Za-z])\.\.([A-Za-z])(?:\.\.-?\d+)?$/.exec(inner)
  const numbers = /^(-?\d{1,6})\.\.(-?\d{1,6})(?:\.\.-?\d+)?$/.exec(inner)
  const [from, to] =
    letters === null
      ? [Number(numbers?.[1]), Number(numbers?.[2])]
      : [letters[1]?.codePointAt(0) ?? 0, letters[2]?.codePointAt(0) ?? 0]
  if (letters === null && numbers === null) return null
  const count = Math.min(Math.abs(to - from) + 1, maxWords + 1)
  const step = to < from ? -1 : 1
  return Array.from({ length: count }, (_, index) => {
    const value = from + index * step
    return letters === null ? String(value) : String.fromCodePoint(value)
  })
}

/** The next place at which braces count: quotes, escapes and substitutions are skipped. */
function nextIndex(text: string, at: number): number {
  const character = text[at]
  if (character === '\\') return at + 2
  if (character === "'") return indexPast(text, at + 1, "'")
  if (character === '"') return indexPastDouble(text, at + 1)
  if (character === '`') return indexPast(text, at + 1, '`')
  if (character === '$' && (text[at + 1] === '(' || text[at + 1] === '{'))
    return indexPastNested(text, at + 1)
  return at + 1
}

function indexPast(text: string, from: number, quote: string): number {
  const end = text.indexOf(quote, from)
  return end < 0 ? text.length : end + 1
}

function indexPastDouble(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at + 1
  }
  return text.length
}

function indexPastNested(text: string, open: number): number {
  const [opening, closing] = text[open] === '(' ? ['(', ')'] : ['{', '}']
  let depth = 0
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === "'") at = indexPast(text, at + 1, "'") - 1
    else if (text[at] === opening) depth += 1
    else if (text[at] === closing && (depth -= 1) === 0) return at + 1
  }
  return text.length
}

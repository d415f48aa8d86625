/** A glob in RE2's syntax, or why there is none. */
export type GlobSource =
  | { readonly ok: true; readonly source: string }
  | { readonly ok: false; readonly problem: string }

/** A range of numbers such as `{1..20}` becomes at most this many alternatives. */
const maxNumbers = 100

class GlobProblem extends Error {}

/**
 * Translates a glob: `*` and `?` within a name, `**` over names, `[a-z]`, `[!a-z]`, `{a,b}`,
 * `{1..9}`, `@(a|b)`, `?(a)`, `*(a)`, `+(a)` and `\` before a character. Brackets that are not
 * closed are plain characters. Pure.
 */
export function globSource(glob: string): GlobSource {
  try {
    return { ok: true, source: new Translation(glob).whole() }
  } catch (error) {
    if (error instanceof GlobProblem) return { ok: false, problem: error.message }
    throw error
  }
}

class Translation {
  readonly #text: string
  #at = 0
  /** the closing bracket of each `(` and `{` */
  readonly #closes: ReadonlyMap<number, number>

  constructor(text: string) {
    this.#text = text
    this.#closes = closingBrackets(text)
  }

  whole(): string {
    return this.#until(this.#text.length)
  }

  #until(end: number): string {
    let source = ''
    while (this.#at < end) source += this.#next()
    return source
  }

  #next(): string {
    const start = this.#at
    const character = String.fromCodePoint(this.#text.codePointAt(start) ?? 0)
    const closes = this.#closes.get(start + 1)
    if ('@?*+!'.includes(character) && this.#text[start + 1] === '(' && closes !== undefined) {
      return this.#extended(character, closes)
    }
    this.#at += character.length
    switch (character) {
      case '\\':
        return this.#escaped()
      case '*':
        return this.#stars(start)
      case '?':
        return '[^/]'
      case '[':
        return this.#oneOf(start)
      case '{':
        return this.#braces(start)
      case '(':
        return this.#parentheses(start)
      case '/':
        return this.#slash()
      default:
        return literal(character)
    }
  }

  #escaped(): string {
    const next = this.#text.codePointAt(this.#at)
    if (next === undefined) return literal('\\')
    const character = String.fromCodePoint(next)
    this.#at += character.length
    return literal(character)
  }

  /** `/**` at the end matches everything below a folder, and the folder itself. */
  #slash(): string {
    const below = this.#text.startsWith('**', this.#at) && isEdge(this.#text[this.#at + 2])
    if (!below || this.#text[this.#at + 2] === '/') return '/'
    this.#at += 2
    return '(?s:/.*)?'
  }

  #stars(start: number): string {
    while (this.#text[this.#at] === '*' && !this.#closes.has(this.#at + 1)) this.#at += 1
    const whole = isEdge(this.#text[start - 1]) && isEdge(this.#text[this.#at])
    if (this.#at - start < 2 || !whole) {
      // A run of `*` and `?` means this many characters and then any: one star is enough.
      let exactly = ''
      for (; '*?'.includes(this.#text[this.#at] ?? '-'); this.#at += 1) {
        if (this.#closes.has(this.#at + 1)) break
        if (this.#text[this.#at] === '?') exactly += '[^/]'
      }
      return `${exactly}[^/]*`
    }
    if (this.#text[this.#at] !== '/') return '(?s:.*)'
    this.#at += 1
    return '(?:[^/]+/)*'
  }

  #oneOf(start: number): string {
    const end = classEnd(this.#text, start)
    if (end === null) return literal('[')
    const negated = /[!^]/.test(this.#text[this.#at] ?? '')
    const members: string[] = []
    for (let at = this.#at + (negated ? 1 : 0); at < end;) {
      if (this.#text[at] === '\\') at += 1
      const member = String.fromCodePoint(this.#text.codePointAt(at) ?? 0)
      members.push(member)
      at += member.length
    }
    this.#at = end + 1
    const ranges = rangesOf(members)
    if (ranges === null) {
      throw new GlobProblem(`${this.#text.slice(start, this.#at)} has a range that runs backwards`)
    }
    return negated ? `[^/${ranges}]` : `[${ranges}]`
  }

  #braces(start: number): string {
    const end = this.#closes.get(start)
    if (end === undefined) return literal('{')
    const inside = this.#text.slice(start + 1, end)
    const stretch = /^(-?\w+)\.\.(-?\w+)$/.exec(inside)
    if (stretch !== null) {
      this.#at = end + 1
      return `(?:${stretchOf(stretch[1] ?? '', stretch[2] ?? '').join('|')})`
    }
    const parts = this.#parts(end, ',')
    return parts.length === 1 ? `\\{${parts[0]}\\}` : `(?:${parts.join('|')})`
  }

  /** Parentheses with a bar choose; others are part of a name, as some frameworks have it. */
  #parentheses(start: number): string {
    const end = this.#closes.get(start)
    if (end === undefined) return literal('(')
    const parts = this.#parts(end, '|')
    return parts.length === 1 ? `\\(${parts[0]}\\)` : `(?:${parts.join('|')})`
  }

  #extended(sign: string, end: number): string {
    if (sign === '!') {
      throw new GlobProblem(
        '!(…) is not supported: write what is meant, or "!" before the whole pattern',
      )
    }
    this.#at += 2
    const choice = `(?:${this.#parts(end, '|').join('|')})`
    return sign === '@' ? choice : `${choice}${sign}`
  }

  /** The parts up to the closing bracket at `end`, which is consumed. */
  #parts(end: number, separator: ',' | '|'): string[] {
    const parts: string[] = ['']
    while (this.#at < end) {
      if (this.#text[this.#at] === separator) {
        this.#at += 1
        parts.push('')
      } else parts.push((parts.pop() ?? '') + this.#next())
    }
    this.#at = end + 1
    return parts
  }
}

/** A `**` next to these matches whole names. */
function isEdge(character: string | undefined): boolean {
  return character === undefined || '/{},()|'.includes(character)
}

function literal(character: string): string {
  return /[\\^$.|?*+()[\]{}]/.test(character) ? `\\${character}` : character
}

/** The end of the class that opens at `start` (a first `]` is a member), or `null`. */
function classEnd(text: string, start: number): number | null {
  const first = start + (/[!^]/.test(text[start + 1] ?? '') ? 2 : 1)
  for (let at = first; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === ']' && at > first) return at
  }
  return null
}

/** Pairs of brackets by their opening; escaped ones and those in a class are ignored. */
function closingBrackets(text: string): ReadonlyMap<number, number> {
  const closes = new Map<number, number>()
  const open: number[] = []
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === '\\') at += 1
    else if (character === '[') {
      at = classEnd(text, at) ?? at
    } else if ('{('.includes(character)) open.push(at)
    else if ('})'.includes(character)) {
      const pair = character === '}' ? '{' : '('
      const opening = open.findLastIndex((start) => text[start] === pair)
      if (opening === -1) continue
      closes.set(open[opening] ?? 0, at)
      open.length = opening
    }
  }
  return closes
}

function rangesOf(members: readonly string[]): string | null {
  let ranges = ''
  for (let at = 0; at < members.length; at += 1) {
    const from = members[at] ?? ''
    const to = members[at + 2]
    if (members[at + 1] === '-' && to !== undefined) {
      if ((from.codePointAt(0) ?? 0) > (to.codePointAt(0) ?? 0)) return null
      ranges += `${inClass(from)}-${inClass(to)}`
      at += 2
    } else ranges += inClass(from)
  }
  return ranges
}

function inClass(character: string): string {
  return /[\\\]^[\-&~]/.test(character) ? `\\${character}` : character
}

/** `{a..e}` and `{1..12}`, in either direction. */
function stretchOf(from: string, to: string): string[] {
  const numbers = /^-?\d{1,9}$/
  const isNumber = numbers.test(from) && numbers.test(to)
  const isLetter = /^[A-Za-z]$/.test(from) && /^[A-Za-z]$/.test(to)
  const [first, last] = isNumber
    ? [Number(from), Number(to)]
    : [from.codePointAt(0) ?? 0, to.codePointAt(0) ?? 0]
  const [low, high] = first < last ? [first, last] : [last, first]
  if ((!isNumber && !isLetter) || high - low >= maxNumbers) {
    throw new GlobProblem(
      `{${from}..${to}} is no stretch of letters or of at most ${maxNumbers} numbers`,
    )
  }
  return Array.from({ length: high - low + 1 }, (_, index) =>
    isNumber ? literalText(String(low + index)) : String.fromCodePoint(low + index),
  )
}

function literalText(text: string): string {
  return [...text].map(literal).join('')
}

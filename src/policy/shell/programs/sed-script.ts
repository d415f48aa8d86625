/**
 * An expression between two marks, without the mark and without a line end. Some releases of `sed`
 * end it at a mark in brackets and others do not, so there is none in them.
 */
function expressionWithout(mark: string): string {
  const other = String.raw`(?!${mark})[^\]\n]`
  const inBrackets = String.raw`(?!${mark})[^[\]\n]`
  // `^` and `]` after `[` have one reading each: with two, many brackets take exponential time.
  const brackets = String.raw`\[(?:\^?\]|(?!\^?\]))(?:\[[:.=](?:${other})*[:.=]\]|${inBrackets})*\]`
  return String.raw`(?:(?!${mark})[^[\\\n]|\\[^\n]|${brackets})*`
}

/** Where a command applies: lines by number, the last one, or those that match. */
const address = String.raw`(?:\d+(?:~\d+)?|\$|\/${expressionWithout('/')}\/[IM]*)`
const addresses = new RegExp(
  String.raw`(?:${address}[ \t]*(?:,[ \t]*(?:${address}|[+~]\d+)[ \t]*)?)?(?:![ \t]*)*`,
  'y',
)
/** Commands that print, delete and rearrange; `{` begins others, and so needs no separator. */
const plain = /(?:[=DGHNPdghlnpqx](?=[ \t]*(?:[;}\n]|$))|\{)/y
const replacing = new RegExp(
  String.raw`[sy]([/|,:#@!%+~])${expressionWithout(String.raw`\1`)}\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[IMgimp0-9]*(?=[ \t]*(?:[;}\n]|$))`,
  'y',
)
const separators = /[\s;}]*/y

/**
 * Whether a script of `sed` certainly only prints, deletes and replaces text. `w`, `r`, `e`, and
 * the same as flags of `s`, write, read and run: any other script may have them. A program of the
 * caller runs the script as it is, without the option that switches them off.
 */
function isPlainScript(script: string): boolean {
  // A private-use character replaces a variable, whose value may end an expression.
  if (/\p{Co}/u.test(script)) return false
  let at = 0
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const isThere = pattern.test(script)
    if (isThere) at = pattern.lastIndex
    return isThere
  }
  for (;;) {
    skip(separators)
    if (at === script.length) return true
    skip(addresses)
    if (!skip(plain) && !skip(replacing)) return false
  }
}

/** The scripts among the words after the name, of which `spelledCount` are the rule's own. */
function scriptsIn(words: readonly string[], spelledCount: number): readonly string[] {
  const scripts: { readonly text: string; readonly index: number }[] = []
  for (const [index, word] of words.entries()) {
    const [, glued] = /^(?:-[A-Za-z]*?e|--expression=)(.+)$/s.exec(word) ?? []
    if (glued !== undefined) scripts.push({ text: glued, index })
    else if (/^(?:-[A-Za-z]*e|--expression)$/.test(word)) {
      scripts.push({ text: words[index + 1] ?? '', index: index + 1 })
    }
  }
  const operand = words.findIndex((word) => !word.startsWith('-'))
  if (scripts.length === 0) scripts.push({ text: words[operand] ?? '', index: operand })
  return scripts.flatMap(({ text, index }) => (index < spelledCount ? [] : [text]))
}

/** Why `sed` with these words may write, read or run something, as the end of a sentence. */
export function sedProblem(words: readonly string[], spelledCount: number): string | null {
  return scriptsIn(words, spelledCount).every(isPlainScript)
    ? null
    : 'has a script that may do more than print and replace text'
}

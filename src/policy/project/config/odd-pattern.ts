/** Why a pattern's words can be those of no plain command, as a sentence; `null` when they may be. */
export function oddPattern(words: readonly string[]): string | null {
  const [first = ''] = words
  if (/^[A-Za-z_]\w*\+?=/.test(first)) return `${first} is an assignment, which is no program`
  return words.map(oddWord).find((why) => why !== null) ?? null
}

function oddWord(word: string): string | null {
  if (/^(\||\|\||&|&&|;|>|>>|<|<<)$/.test(word)) return `${word} stands between commands`
  if (/[;|&]$/.test(word)) return `${word.at(-1)} ends the command in ${word}`
  if (/^\d*[<>]/.test(word)) return `${word} is a redirect, which is no argument`
  if (/^["'].*["']$/.test(word)) return `${word} is compared with its quotes`
  if (/[*?]/.test(word)) return `${word} is compared letter by letter: patterns have no wildcards`
  if (/^\$|`|\$\(/.test(word)) return `${word} is compared letter by letter: nothing is expanded`
  return null
}

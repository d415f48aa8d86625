import { withoutOddCharacters } from '../text/odd-text.ts'

/**
 * What one word of a command might become when a shell expands it. Over-approximates: for asks and
 * blocks only.
 */
export interface Spelling {
  /** each a list of fields: `[]` when the word vanishes, several when it is split */
  readonly alternatives: readonly (readonly string[])[]
  /** it might become something else too, or nothing */
  readonly isOpen: boolean
}

/** Replace `*` and one unknown character of an unquoted file pattern in fields. */
export const anyText = '\u{f0001}'
export const anyCharacter = '\u{f0002}'

/** A word that is exactly this text. */
export function exactly(text: string): Spelling {
  return { alternatives: [[text]], isOpen: false }
}

/** Whether a field could be this token, also by a file pattern or with invisible letters. */
export function couldBe(field: string, token: string): boolean {
  return field === token || (isUnclear(field) && patternMatches(patternOf(field), token))
}

/** An unclear field, prepared for comparing it with many tokens. */
export function patternOf(field: string): readonly string[] {
  const isMark = (character: string): boolean => character === anyText || character === anyCharacter
  return [...visibleText(field)].flatMap((character) =>
    isMark(character) ? character : character.split(''),
  )
}

/**
 * The last part of a path, in lower case: a program's name, wherever it is. In zsh, `=git` is the
 * path of `git`.
 */
export function programName(field: string): string {
  const text = visibleText(field)
  return text
    .slice(text.lastIndexOf('/') + 1)
    .replace(/^=/, '')
    .toLowerCase()
}

/** Whether a field might be another text: it has a file pattern or invisible characters. */
export function isUnclear(field: string): boolean {
  return !printable.test(field)
}

const printable = /^[\x20-\x7e]*$/

function visibleText(field: string): string {
  if (printable.test(field)) return field
  const visible = [...field].map((character) =>
    character === anyText || character === anyCharacter
      ? character
      : withoutOddCharacters(character),
  )
  return visible.join('')
}

/** Whether an unclear field could be this token: matching with one place to go back to. */
export function patternMatches(pattern: readonly string[], text: string): boolean {
  let at = 0
  let star = -1
  let resume = 0
  let index = 0
  while (index < text.length) {
    const character = pattern[at]
    if (character === anyText) {
      star = at
      resume = index
      at += 1
    } else if (
      character === anyCharacter ||
      (character !== undefined && character === text[index])
    ) {
      at += 1
      index += 1
    } else if (star >= 0) {
      at = star + 1
      resume += 1
      index = resume
    } else {
      return false
    }
  }
  while (pattern[at] === anyText) at += 1
  return at === pattern.length
}

import type { DoubleQuotedChild, Word, Command } from 'unbash'

/**
 * Variables that the command's environment sets, each to an absolute path (workers-and-policy.md,
 * shell rules).
 */
const knownVariables: readonly string[] = ['HOME', 'PATH', 'PWD', 'TMPDIR']

/** A word with a known expansion. */
export interface KnownWord {
  /** the one field; `variableMark` replaces a variable in it */
  readonly text: string
  /** source text that a shell reads as exactly this word */
  readonly printed: string
  readonly hasVariable: boolean
}

/** Replaces the value of a variable in a known word. */
export const variableMark = '\u{f0004}'

/** A word as a message names it: with the names of its variables, and otherwise without quotes. */
export function wordInMessage({ text, printed, hasVariable }: KnownWord): string {
  return hasVariable ? printed : text
}

/** The same in quotes. */
export function quotedInMessage(word: KnownWord): string {
  return word.hasVariable ? word.printed : JSON.stringify(word.text)
}

/** A word that is nothing but this text. */
export function literalWord(text: string): KnownWord {
  return { text, printed: quotedPart(text), hasVariable: false }
}

/** A text in single quotes, unless none of its characters has a meaning to a shell. */
function quotedPart(text: string): string {
  if (/^[A-Za-z0-9_./:,@%+-]+$/.test(text)) return text
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Characters without a meaning to a shell outside of quotes, anywhere in a word. */
const plainCharacter = /^[A-Za-z0-9_./:,@%+=^!-]$/

/**
 * The expansion of a word, or why it is unknown, as the end of the sentence "it holds …". Quotes
 * and escapes are parsed again here, and the result must be the parser's.
 */
export function expandWord(word: Word): KnownWord | string {
  let text = ''
  let printed = ''
  let hasVariable = false
  const literal = (value: string): void => {
    text += value
    printed += value === '' ? '' : quotedPart(value)
  }
  const parts = word.parts ?? [{ type: 'Literal' as const, value: word.value, text: word.text }]
  for (const part of parts) {
    switch (part.type) {
      case 'Literal': {
        const value = unquotedValue(part.text, text === '' && printed === '')
        if (value === null || value !== part.value) return 'a character that a shell might read'
        literal(value)
        break
      }
      case 'SingleQuoted':
        if (part.text !== `'${part.value}'` || part.value.includes("'")) return 'an unclear quote'
        literal(part.value)
        break
      case 'DoubleQuoted':
        for (const child of part.parts) {
          const childWord = quotedChild(child)
          if (typeof childWord === 'string') return childWord
          if ('variable' in childWord) {
            hasVariable = true
            text += variableMark
            printed += `"$${childWord.variable}"`
          } else {
            literal(childWord.text)
          }
        }
        break
      default:
        return notPlain[part.type]
    }
  }
  return { text, printed: hasVariable ? printed : quotedPart(text), hasVariable }
}

const notPlain = {
  Glob: 'a file pattern',
  ExtendedGlob: 'a file pattern',
  BraceExpansion: 'a brace expansion',
  AnsiCQuoted: "a quote of the form $'…'",
  LocaleString: 'a quote of the form $"…"',
  SimpleExpansion: 'a variable without quotes',
  ParameterExpansion: 'an expansion',
  CommandExpansion: 'a command substitution',
  ArithmeticExpansion: 'an arithmetic expansion',
  ProcessSubstitution: 'a process substitution',
} as const

/** Text outside of quotes; `null` when a character of it may have a meaning. */
function unquotedValue(text: string, first: boolean): string | null {
  let value = ''
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === '\\') {
      const escaped = text[at + 1]
      if (escaped === undefined || !/^[\x20-\x7e]$/.test(escaped)) return null
      value += escaped
      at += 1
    } else if (plainCharacter.test(character) || (character === '~' && isInside(text, at, first))) {
      value += character
    } else if (/^[\p{L}\p{N}]$/u.test(character) && character.codePointAt(0) !== undefined) {
      value += character
    } else {
      return null
    }
  }
  return value
}

/** `HEAD~2`: a tilde that is not replaced by a home folder. */
function isInside(text: string, at: number, first: boolean): boolean {
  return (at > 0 || !first) && /[A-Za-z0-9^~]/.test(text[at - 1] ?? '')
}

function quotedChild(child: DoubleQuotedChild): { text: string } | { variable: string } | string {
  if (child.type === 'Literal') {
    const { text, value } = child
    if (/(?<!\\)(?:\\\\)*[$`"]/.test(text)) return 'a dollar or a backquote in quotes'
    const read = text.replace(/\\([$`"\\])/g, '$1')
    return read === value ? { text: value } : 'an unclear quote'
  }
  if (child.type !== 'SimpleExpansion') return notPlain[child.type]
  const name = child.text.slice(1)
  if (child.text !== `$${name}` || !knownVariables.includes(name)) {
    return `the variable ${name}, which is none of ${knownVariables.join(', ')}`
  }
  return { variable: name }
}

/** A simple command with known words and redirects. */
export interface KnownCommand {
  readonly kind: 'command'
  readonly node: Command | null
  readonly words: readonly KnownWord[]
  /** printed, in order */
  readonly redirects: readonly string[]
}

/** A part of a known script as printed: a command, or a separator or operator. */
export type KnownPart = KnownCommand | { readonly kind: 'text'; readonly text: string }

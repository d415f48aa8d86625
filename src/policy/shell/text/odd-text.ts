import { limits } from '#domain/limits.ts'
import { binarySize } from '#domain/text/binary-size.ts'

/**
 * Bounds of what can be pre-approved; beyond them a command asks at best (workers-and-policy.md,
 * shell rules).
 */
export const shellLimits = {
  scriptBytes: limits.scriptBytes,
  commands: limits.scriptCommands,
  arguments: limits.commandArguments,
  argumentBytes: limits.argumentBytes,
  /** beyond this a script is not parsed, only scanned for what is blocked */
  parsedBytes: 64 * 1024,
} as const

const oddCharacter =
  /(?![\n\t ])[\p{Cc}\p{Cs}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Zs}\u2800\p{Co}]/u
const oddCharacters = new RegExp(oddCharacter, 'gu')

/**
 * Does a text hold a character that is not seen or not printed, newline, tab and plain space apart?
 */
export function hasOddCharacters(text: string): boolean {
  return oddCharacter.test(text)
}

/** A word without the characters that an eye would miss, for finding what it pretends not to be. */
export function withoutOddCharacters(text: string): string {
  return text.replace(oddCharacters, '')
}

/** Why a script asks at best, whatever it says; a sentence each. */
export function textDoubts(script: string): readonly string[] {
  const doubts: string[] = []
  if (hasOddCharacters(script)) doubts.push('it holds control or invisible characters')
  if (/\\\r?\n/.test(script)) doubts.push('a backslash stands before a newline')
  const bytes = Buffer.byteLength(script)
  if (bytes > shellLimits.scriptBytes) {
    doubts.push(`it has ${bytes} bytes, more than ${binarySize(shellLimits.scriptBytes)}`)
  }
  return doubts
}

/**
 * The texts in which blocked commands are looked for: the script, and what it becomes when
 * continued lines are joined and odd characters are left out, or taken for space or for the end of
 * a line.
 */
export function readableTexts(script: string): readonly string[] {
  const joined = script.replace(/\\\r?\n/g, '')
  const texts = [script, joined]
  if (hasOddCharacters(script)) {
    const lines = joined.replace(/[\r\v\f\u0085\u2028\u2029]/g, '\n')
    texts.push(withoutOddCharacters(joined), joined.replace(oddCharacters, ' '))
    texts.push(lines.replace(oddCharacters, ''))
  }
  return [...new Set(texts)]
}

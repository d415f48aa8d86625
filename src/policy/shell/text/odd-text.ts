import { limits } from '#domain/limits.ts'
import { binarySize } from '#domain/text/quantities/binary-size.ts'

/** Bounds for pre-approval: more asks at least (workers-and-policy.md, shell rules). */
export const shellLimits = {
  scriptBytes: limits.scriptBytes,
  commands: limits.scriptCommands,
  arguments: limits.commandArguments,
  argumentBytes: limits.argumentBytes,
  /** a larger script is not parsed, only scanned for blocked commands */
  parsedBytes: 64 * 1024,
} as const

const oddCharacter =
  /(?![\n\t ])[\p{Cc}\p{Cs}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Zs}\u2800\p{Co}]/u
const oddCharacters = new RegExp(oddCharacter, 'gu')

/** Whether a text has an invisible or unprintable character other than newline, tab and space. */
export function hasOddCharacters(text: string): boolean {
  return oddCharacter.test(text)
}

/** A word without invisible characters, to find the name that it imitates. */
export function withoutOddCharacters(text: string): string {
  return text.replace(oddCharacters, '')
}

/** Why a script asks at least, whatever its commands; one sentence each. */
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
 * The texts in which blocked commands are searched: the script, and its versions with continued
 * lines joined and odd characters removed, or replaced by a space or a line end.
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

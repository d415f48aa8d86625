import { valueIn } from '../json/value-in.ts'
import { lookAlikes } from './look-alikes/look-alikes.ts'

/** Why a character is shown as a chip instead of itself. */
export type ChipReason =
  | 'control'
  | 'bidirectional'
  | 'invisible'
  | 'space'
  | 'private'
  | 'look-alike'

/** A piece of text: plain, or one character that is easily missed or mistaken. */
export type TextSegment =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'chip'
      /** the character itself */
      readonly text: string
      /** `U+202E`, with its name if it is well known */
      readonly label: string
      readonly reason: ChipReason
      /** for a look-alike: the ASCII text it looks like */
      readonly look?: string
    }

const names: Readonly<Record<string, string>> = {
  '0000': 'NUL',
  '0007': 'BEL',
  '0008': 'BACKSPACE',
  '000B': 'VT',
  '000C': 'FORM FEED',
  '000D': 'CR',
  '001B': 'ESC',
  '007F': 'DELETE',
  '00A0': 'NO-BREAK SPACE',
  '00AD': 'SOFT HYPHEN',
  '061C': 'ARABIC LETTER MARK',
  '200B': 'ZERO WIDTH SPACE',
  '200C': 'ZERO WIDTH NON-JOINER',
  '200D': 'ZERO WIDTH JOINER',
  '200E': 'LEFT-TO-RIGHT MARK',
  '200F': 'RIGHT-TO-LEFT MARK',
  '2028': 'LINE SEPARATOR',
  '2029': 'PARAGRAPH SEPARATOR',
  '202A': 'LEFT-TO-RIGHT EMBEDDING',
  '202B': 'RIGHT-TO-LEFT EMBEDDING',
  '202C': 'POP DIRECTIONAL FORMATTING',
  '202D': 'LEFT-TO-RIGHT OVERRIDE',
  '202E': 'RIGHT-TO-LEFT OVERRIDE',
  '2060': 'WORD JOINER',
  '2066': 'LEFT-TO-RIGHT ISOLATE',
  '2067': 'RIGHT-TO-LEFT ISOLATE',
  '2068': 'FIRST STRONG ISOLATE',
  '2069': 'POP DIRECTIONAL ISOLATE',
  '2800': 'BRAILLE BLANK',
  '3164': 'HANGUL FILLER',
  FEFF: 'BYTE ORDER MARK',
}

const bidirectional = /^[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]$/u
const control = /^[\p{Cc}\p{Cs}]$/u
const invisible = /^[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]$/u
const space = /^\p{Zs}$/u
const privateUse = /^[\p{Co}\p{Cn}]$/u
const suspicious =
  /[\p{Co}\p{Cn}\p{Cc}\p{Cs}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Zs}\u2800]/u

/**
 * Splits a text into plain pieces and chips for what cannot be seen: control characters (except
 * newline and tab), bidirectional, invisible and ignorable characters, U+2800, every space except
 * U+0020, unassigned characters, and look-alikes (look-alikes.ts). The pieces joined are the text
 * (security.md 17). Pure; for dashboard and terminal.
 */
export function visibleText(text: string): TextSegment[] {
  const strangers = new Map(lookAlikes(text).map((one) => [one.start, one.look]))
  const segments: TextSegment[] = []
  let plain = ''
  let at = 0
  for (const character of text) {
    const reason = hiddenReason(character) ?? (strangers.has(at) ? 'look-alike' : null)
    const look = reason === 'look-alike' ? strangers.get(at) : null
    at += character.length
    if (reason === null) {
      plain += character
      continue
    }
    if (plain !== '') segments.push({ kind: 'text', text: plain })
    plain = ''
    const label = labelOf(character)
    const chip = { kind: 'chip', text: character, label, reason } as const
    segments.push(look === null || look === undefined ? chip : { ...chip, look })
  }
  if (plain !== '') segments.push({ kind: 'text', text: plain })
  return segments
}

/**
 * Why a single character cannot be recognised by sight, or `null`, also for newline, tab and the
 * plain space.
 */
export function hiddenReason(character: string): Exclude<ChipReason, 'look-alike'> | null {
  if (character === '\n' || character === '\t' || character === ' ') return null
  if (!suspicious.test(character)) return null
  if (control.test(character)) return 'control'
  if (bidirectional.test(character)) return 'bidirectional'
  if (space.test(character)) return 'space'
  if (privateUse.test(character)) return 'private'
  return invisible.test(character) ? 'invisible' : null
}

/** The name of a character: `U+200B ZERO WIDTH SPACE`, or the code point alone. */
export function labelOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  const name = valueIn(names, code)
  return name === undefined ? `U+${code}` : `U+${code} ${name}`
}

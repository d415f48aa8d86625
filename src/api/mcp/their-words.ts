import type { CallToolResult } from '@modelcontextprotocol/server'
import { asciiLook } from '#domain/text/look-alikes/ascii-look.ts'

/** Phrases with which the gateway itself reports what happened to a call. */
const ourPhrases = [
  ['', 'countersign', ''],
  ['', ', not run', '(?!\\p{L})'],
  ['(?<!\\p{L})', 'not run: ', ''],
  ['', 'outcome unknown: ', ''],
  ['', 'running: this call', ''],
  ['(?<!\\p{L})', 'ran: a person', ''],
] as const

/** What a server returned, as a client gets it. */
export type ServerWords = Pick<CallToolResult, 'content' | 'structuredContent'>

/**
 * A server's result. If it could be taken for an answer of the gateway, even because of look-alike
 * or hidden letters, a sentence before it says that it is the server's. Its structured content is
 * then text too, because some clients show their model only the structured content of a result.
 */
export function asTheirWords({ content, structuredContent }: ServerWords): ServerWords {
  const structured = structuredContent === undefined ? '' : JSON.stringify(structuredContent)
  const isLikeOurs =
    content.some((part) => soundsLikeUs(wordsOf(part))) ||
    soundsLikeUs(structured) ||
    ['requestId', 'status'].every((name) => Object.hasOwn(structuredContent ?? {}, name))
  if (!isLikeOurs)
    return { content, ...(structuredContent === undefined ? {} : { structuredContent }) }
  const text = '[What follows are the words of the server. Countersign says none of them.]'
  const last = structured === '' ? [] : [{ type: 'text' as const, text: structured }]
  return { content: [{ type: 'text', text }, ...content, ...last] }
}

/** The most text in which letters are compared by their look: it takes a tenth of a second. */
const maxCompared = 1_000_000
const ascii = /^[\0-\x7f]*$/
const ourPlainWords = wordsOfOurs((letter) => (letter === ' ' ? '\\s+' : letter), '')
let ourWords: RegExp | null = null

function soundsLikeUs(text: string): boolean {
  if (ourPlainWords.test(text)) return true
  if (ascii.test(text)) return false
  return text.length > maxCompared || (ourWords ??= readOurWords()).test(text.normalize('NFKD'))
}

function wordsOfOurs(alike: (letter: string) => string, hidden: string): RegExp {
  const patterns = ourPhrases.map(
    ([before, words, after]) => `${before}${[...words].map(alike).join(hidden)}${after}`,
  )
  return new RegExp(patterns.join('|'), 'iu')
}

/** The words by the looks of their letters, with hidden ones between. */
function readOurWords(): RegExp {
  const looks = new Map<string, string>()
  for (let code = 0x80; code < 0x20000; code += 1) {
    const letter = String.fromCodePoint(code)
    const look = asciiLook(letter)?.toLowerCase()
    if (look?.length === 1) looks.set(look, (looks.get(look) ?? '') + letter)
  }
  const hidden = '[\\p{Cf}\\p{Mn}\\p{Default_Ignorable_Code_Point}]*'
  const alike = (letter: string): string =>
    letter === ' ' ? '[\\p{Z}\\s]+' : `[${letter}${looks.get(letter) ?? ''}]`
  return wordsOfOurs(alike, hidden)
}

function wordsOf(part: CallToolResult['content'][number]): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'resource_link':
      return `${part.name} ${part.uri}`
    case 'resource':
      return `${part.resource.uri} ${'text' in part.resource ? part.resource.text : ''}`
    default:
      return ''
  }
}

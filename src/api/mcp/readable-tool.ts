import type { Tool } from '@modelcontextprotocol/server'
import { isJsonObject } from '#domain/json/is-object.ts'
import type { Json } from '#domain/json/json.ts'
import { asciiLook } from '#domain/text/look-alikes/ascii-look.ts'
import { hiddenReason, labelOf } from '#domain/text/visible-text.ts'

/**
 * A server's tool with hidden characters of its titles and descriptions replaced by their numbers,
 * and without a title that imitates the gateway. The pin, and what approvers see, are the server's
 * own words.
 */
export function readableTool(tool: Tool): Tool {
  const { annotations, description, title, ...rest } = tool
  const { title: annotated, ...hints } = annotations ?? {}
  const titleOf = (text: string | undefined) =>
    text === undefined || takesOurName(text) ? {} : { title: revealHidden(text) }
  return {
    ...rest,
    ...titleOf(title),
    ...(description === undefined ? {} : { description: revealHidden(description) }),
    ...(annotations === undefined ? {} : { annotations: { ...hints, ...titleOf(annotated) } }),
    inputSchema: revealIn(tool.inputSchema as Json) as Tool['inputSchema'],
  }
}

function takesOurName(text: string): boolean {
  const letters = [...text.normalize('NFKC')].filter((letter) => hiddenReason(letter) === null)
  const look = letters.map((letter) => asciiLook(letter) ?? letter).join('')
  return look
    .replaceAll(/[^A-Za-z]/g, '')
    .toLowerCase()
    .includes('countersign')
}

/** Titles and descriptions of a schema; its other texts are values that must not change. */
function revealIn(value: Json): Json {
  if (Array.isArray(value)) return value.map(revealIn)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).map(([name, of]) => {
    const isWords = (name === 'title' || name === 'description') && typeof of === 'string'
    return [name, isWords ? revealHidden(of) : revealIn(of)] as const
  })
  return Object.fromEntries(entries)
}

/** `a[U+202E]b`. Emoji keep their joiners. */
function revealHidden(text: string): string {
  let before = ''
  let visible = ''
  for (const character of text.replaceAll('\r\n', '\n')) {
    const reason = hiddenReason(character)
    const isPlain = reason === null || reason === 'space' || joinsEmoji(before, character)
    visible += isPlain ? character : `[${labelOf(character)}]`
    before = character
  }
  return visible
}

function joinsEmoji(before: string, character: string): boolean {
  if (character === '\uFE0F') return /^\p{Extended_Pictographic}$/u.test(before)
  return character === '\u200D' && /^[\p{Extended_Pictographic}\uFE0F]$/u.test(before)
}

import type { CallToolResult } from '@modelcontextprotocol/server'

/** Phrases with which the gateway itself reports what happened to a call. */
const ourWords =
  /countersign|, not run\b|\bnot run: |outcome unknown: |running: this call|\bran: a person/i

/**
 * A server's result, after a sentence that it is the server's if it could be taken for the
 * gateway's.
 */
export function asTheirWords(content: CallToolResult['content']): CallToolResult['content'] {
  if (!content.some((part) => ourWords.test(wordsOf(part)))) return content
  const text = '[What follows are the words of the server. Countersign says none of them.]'
  return [{ type: 'text', text }, ...content]
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

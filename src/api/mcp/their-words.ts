import type { CallToolResult } from '@modelcontextprotocol/server'

/** Phrases with which the gateway itself reports what happened to a call. */
const ourWords =
  /countersign|, not run\b|\bnot run: |outcome unknown: |running: this call|\bran: a person/i

/** What a server returned, as a client gets it. */
export type ServerWords = Pick<CallToolResult, 'content' | 'structuredContent'>

/**
 * A server's result, after a sentence that it is the server's if it could be taken for the
 * gateway's. Its structured content is then text too: some clients show their model nothing else of
 * a result that has any.
 */
export function asTheirWords({ content, structuredContent }: ServerWords): ServerWords {
  const structured = structuredContent === undefined ? '' : JSON.stringify(structuredContent)
  const isLikeOurs =
    content.some((part) => ourWords.test(wordsOf(part))) ||
    ourWords.test(structured) ||
    ['requestId', 'status'].every((name) => Object.hasOwn(structuredContent ?? {}, name))
  if (!isLikeOurs)
    return { content, ...(structuredContent === undefined ? {} : { structuredContent }) }
  const text = '[What follows are the words of the server. Countersign says none of them.]'
  const last = structured === '' ? [] : [{ type: 'text' as const, text: structured }]
  return { content: [{ type: 'text', text }, ...content, ...last] }
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

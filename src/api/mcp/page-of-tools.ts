import { ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server'

const maxPageTools = 100
const maxPageBytes = 512 * 1024

/**
 * One page of a list of tools: at most 100 of them and, unless one alone is larger, 512 KiB.
 * `cursor` is where it begins, as the page before named it.
 */
export function pageOfTools(
  tools: readonly Tool[],
  cursor: string | undefined,
): { tools: Tool[]; nextCursor?: string } {
  const start = cursor === undefined ? 0 : Number(cursor)
  if (!Number.isInteger(start) || start < 0 || start > tools.length) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such page')
  }
  const page: Tool[] = []
  let bytes = 0
  for (const tool of tools.slice(start, start + maxPageTools)) {
    bytes += Buffer.byteLength(JSON.stringify(tool))
    if (page.length > 0 && bytes > maxPageBytes) break
    page.push(tool)
  }
  const next = start + page.length
  return { tools: page, ...(next < tools.length ? { nextCursor: String(next) } : {}) }
}

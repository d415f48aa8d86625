import type { RequestDetail } from '../../api/schemas/requests/requests.ts'
import { dim, yellow } from './colour.ts'
import { quoted } from './quoted.ts'

/**
 * Of a call of an MCP server: what the server says of the tool, quoted as its claim, and what it has changed of it since
 * the version took force. Nothing for other calls. Never cut: it is what the approval rests on.
 */
export function serverWords({ presentation }: RequestDetail, columns: number | null): string[] {
  const { serverClaims, definitionChange } = presentation.metadata
  if (typeof serverClaims !== 'object' || serverClaims === null || Array.isArray(serverClaims)) {
    return []
  }
  const { description } = serverClaims
  const says = typeof description === 'string' ? description : ''
  const changed =
    typeof definitionChange === 'string'
      ? [
          yellow('what the server has changed of it since the version took force:'),
          ...quoted(definitionChange, { columns, diff: true }),
        ]
      : []
  return [
    dim('what the server says of the tool, its claim, not verified:'),
    ...quoted(says, { columns, diff: false }),
    ...changed,
    '',
  ]
}

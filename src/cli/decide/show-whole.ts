import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { requestOf } from '#client/call.ts'
import { decodeUtf8 } from '#domain/text/encoding/decode-utf8.ts'
import type { Service } from '../service/service.ts'
import { quoteLines } from '../text/quote-lines.ts'
import { wholeTaskLines } from '../text/request-card.ts'
import { requestText } from '../text/request-text.ts'
import { printableLine } from '../text/terminal-text.ts'
import { terminalColumns } from '../text/wrap.ts'

/**
 * Prints all of a request: every line of the effect and of the task, the input, the files that a
 * command names, and every byte if the presentation is only a part. Resolves with whether all of it
 * was printed, which an approval at high risk requires (security.md 15).
 */
export async function showWhole(
  service: Service,
  request: RequestDetail,
  print: (text: string) => void,
): Promise<boolean> {
  const columns = terminalColumns()
  const page = requestText(request, { full: true, isTaskBelow: true, columns })
  print([page.text, ...wholeTaskLines(request, columns)].join('\n'))
  const input = JSON.stringify(request.input, null, 2)
  print(['', 'input', ...quoteLines(input, { columns, diff: false }), ''].join('\n'))
  const params = { id: request.id }
  for (const { kind, path } of request.namedFiles) {
    if (kind !== 'text' && kind !== 'binary') continue
    const bytes = await service.bytes(requestOf('getContent', { params, query: { file: path } }))
    print(contentLines(printableLine(path), bytes, columns) ?? notText(printableLine(path), bytes))
  }
  if (!request.presentation.truncated) return page.whole
  const bytes = await service.bytes(requestOf('getContent', { params }))
  const text = contentLines('every byte', bytes, columns)
  print(text ?? notText('every byte', bytes))
  return text !== null
}

function contentLines(what: string, bytes: Uint8Array, columns: number | null): string | null {
  const text = decodeUtf8(bytes)
  if (text === null) return null
  return [`${what} (${bytes.length})`, ...quoteLines(text, { columns, diff: false }), ''].join('\n')
}

function notText(what: string, bytes: Uint8Array): string {
  return `${what} (${bytes.length}) is not text: the dashboard has it as a download\n`
}

import type { RequestDetail } from '../../api/schemas/requests.ts'
import type { Service } from '../service/service.ts'
import { quoted } from '../text/quoted.ts'
import { requestText } from '../text/request-text.ts'
import { terminalColumns } from '../text/wrap.ts'

/**
 * Prints all of a request: every line of what will happen, the input, and every byte where the presentation is a
 * part. Answers whether all was printed, which an approval at high risk needs (security.md 15).
 */
export async function showWhole(
  service: Service,
  request: RequestDetail,
  print: (text: string) => void,
): Promise<boolean> {
  const columns = terminalColumns()
  const page = requestText(request, { full: true, columns })
  print(page.text)
  const input = JSON.stringify(request.input, null, 2)
  print(['', 'input', ...quoted(input, { columns, diff: false }), ''].join('\n'))
  if (!request.presentation.truncated) return page.whole
  const bytes = await service.bytes(`/v1/requests/${request.id}/content`)
  const text = textOf(bytes)
  if (text === null) {
    print(`every byte (${bytes.length}) is not text: the dashboard has it as a download\n`)
    return false
  }
  const lines = quoted(text, { columns, diff: false })
  print([`every byte (${bytes.length})`, ...lines, ''].join('\n'))
  return true
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

import { callMark, maxSentRequests, sentRequestCount } from './stream-cursor.ts'
import type { CallView } from './stream-view.ts'
import type { UiPart } from '#domain/runs/ui-part.ts'

/**
 * The parts of a turn's calls that a reader has not received, each with the marks of all calls
 * after it: first every input, then the requests, then the results.
 */
export function callParts(
  calls: readonly CallView[],
  position: string,
): readonly { readonly part: UiPart; readonly calls: string }[] {
  const marks = calls.map((_call, index) => position[index] ?? '-')
  const parts: { part: UiPart; calls: string }[] = []
  const send = (index: number, mark: string, part: UiPart): void => {
    marks[index] = mark
    parts.push({ part, calls: marks.join('') })
  }
  for (const [index, { toolCallId, tool: toolName, input }] of calls.entries()) {
    if (marks[index] !== '-') continue
    send(index, callMark(0), { type: 'tool-input-available', toolCallId, toolName, input })
  }
  for (const [index, { toolCallId, requests }] of calls.entries()) {
    const mark = marks[index] ?? 'z'
    if (mark === 'z') continue
    for (const [at, approvalId] of requests.slice(0, maxSentRequests).entries()) {
      if (at < sentRequestCount(mark)) continue
      send(index, callMark(at + 1), {
        type: 'tool-approval-request',
        approvalId,
        toolCallId,
      })
    }
  }
  for (const [index, call] of calls.entries()) {
    if (marks[index] !== 'z' && call.result !== null)
      send(index, 'z', resultPart(call, call.result))
  }
  return parts
}

function resultPart(
  { toolCallId }: CallView,
  { type, text, output }: NonNullable<CallView['result']>,
): UiPart {
  if (type === 'output')
    return { type: 'tool-output-available', toolCallId, output: output ?? text }
  if (type === 'denied') return { type: 'tool-output-denied', toolCallId }
  return { type: 'tool-output-error', toolCallId, errorText: text }
}

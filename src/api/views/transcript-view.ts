import type {
  TranscriptItem as ItemRecord,
  TranscriptItemCall as CallRecord,
} from '../../services/runs/transcript/transcript.ts'
import type { TranscriptCall, TranscriptItem } from '../schemas/runs/transcript.ts'

/** One message; a message without calls has no `calls`, one without words no `text`. */
export function transcriptItemView(record: ItemRecord): TranscriptItem {
  const { author } = record
  return {
    turn: record.turn,
    role: record.role,
    author: author !== null && 'id' in author ? { id: author.id, name: nameOf(author) } : null,
    at: record.at.toISOString(),
    ...(record.text === '' ? {} : { text: record.text }),
    ...(record.calls.length === 0 ? {} : { calls: record.calls.map(callView) }),
  }
}

function nameOf(author: { readonly id: string; readonly name?: string }): string {
  return author.name ?? author.id
}

function callView(record: CallRecord): TranscriptCall {
  return {
    callId: record.callId,
    toolCallId: record.toolCallId,
    tool: record.tool,
    input: record.input,
    verdict: record.verdict,
    rule: record.rule,
    ...(record.requestId === null ? {} : { requestId: record.requestId }),
    ...(record.requestState === null ? {} : { requestState: record.requestState }),
    ...(record.manual ? { manual: true } : {}),
    ...(record.childRunId === null ? {} : { childRunId: record.childRunId }),
    ...(record.live === null ? {} : { live: liveView(record.live) }),
    ...(record.result === null ? {} : { result: resultView(record.result) }),
  }
}

function resultView({ files, ...result }: NonNullable<CallRecord['result']>) {
  return { ...result, ...(files === undefined ? {} : { files: [...files] }) }
}

function liveView({ state, stdout, stderr }: NonNullable<CallRecord['live']>) {
  return { state, stdout, stderr }
}

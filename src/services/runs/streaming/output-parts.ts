import type { CommandOutputPart } from '#domain/runs/ui-part.ts'
import type { OutputStream } from '#domain/tools/tool-result.ts'
import type { OutputPosition } from './stream-cursor.ts'
import type { CallView, LiveAttempt, LiveStreamPiece } from './stream-view.ts'

/**
 * The output of a turn's running commands that a reader has not received, each part with the
 * positions of all calls after it. Incomplete characters are left for later. Pure.
 */
export function outputParts(
  calls: readonly CallView[],
  positions: readonly OutputPosition[],
): readonly { readonly part: CommandOutputPart; readonly outputs: readonly OutputPosition[] }[] {
  const outputs = new Map(
    positions
      // The end of a call comes with its result.
      .filter(({ call }) => calls[call]?.result === null)
      .map((one) => [one.call, one]),
  )
  const parts: { part: CommandOutputPart; outputs: readonly OutputPosition[] }[] = []
  for (const [index, call] of calls.entries()) {
    const { live } = call
    if (live === null || call.result !== null) continue
    const send = (now: OutputPosition, part: CommandOutputPart['data']): void => {
      outputs.set(index, now)
      const id = `${part.callId}.${part.stream}`
      parts.push({
        part: { type: 'data-command-output', id, transient: true, data: part },
        outputs: [...outputs.values()],
      })
    }
    const { callId, toolCallId } = call
    const before = outputs.get(index)
    const fresh = { call: index, attempt: live.attempt, stdout: 0, stderr: 0, lost: false }
    if (before !== undefined && before.attempt !== live.attempt && !before.lost) {
      for (const [stream, at] of writtenStreams(before)) {
        send(fresh, { callId, toolCallId, stream, attempt: before.attempt, ...endingAt(at) })
      }
    }
    let now = before?.attempt === live.attempt ? before : fresh
    for (const piece of live.streams) {
      const { bytes, text } = wholeText(piece, live)
      if (bytes === 0) continue
      const end = piece.start + bytes
      now = { ...now, [piece.stream]: end }
      const { start, stream } = piece
      const { attempt } = live
      send(now, { callId, toolCallId, stream, attempt, start, end, text, lost: false })
    }
    if (!live.isLost || now.lost) continue
    now = { ...now, lost: true }
    for (const [stream, at] of writtenStreams(now)) {
      send(now, { callId, toolCallId, stream, attempt: live.attempt, ...endingAt(at) })
    }
  }
  return parts
}

function writtenStreams({ stderr, stdout }: OutputPosition): readonly [OutputStream, number][] {
  const streams: readonly [OutputStream, number][] = [
    ['stdout', stdout],
    ['stderr', stderr],
  ]
  return streams.filter(([, at]) => at > 0)
}

function endingAt(at: number) {
  return { start: at, end: at, text: '', lost: true }
}

/** The complete characters of a piece, and their number of bytes. */
function wholeText({ bytes }: LiveStreamPiece, { isLost }: LiveAttempt) {
  const whole = isLost ? bytes.length : bytes.length - countUnfinished(bytes)
  return { bytes: whole, text: Buffer.from(bytes.subarray(0, whole)).toString('utf8') }
}

/** How many bytes at the end begin an incomplete character. */
function countUnfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte < 0xc0) continue
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return needs > back ? back : 0
  }
  return 0
}

import { TextDecoder } from 'node:util'
import type { Transcript, TranscriptCall } from '#api/schemas/runs/transcript.ts'
import { requestOf } from '#client/call.ts'
import { noOutput, placeBehind, type OutputPlace } from '#domain/text/output-place.ts'
import { streamNames, type OutputStream } from '#domain/tools/tool-result.ts'
import { ServiceProblem, type Service } from '../service/service.ts'
import { dim } from '../text/colour.ts'
import { quoteLines } from '../text/quote-lines.ts'

/** A longer line is printed in pieces. */
const maxLineCharacters = 4096
/** The largest part of the output since the last read that is printed. */
const maxRestCharacters = 64 * 1024
/** The prefix that the transcript's printer puts before each line. */
const indentColumns = 4

interface StreamProgress {
  place: OutputPlace
  /** the text of an incomplete line */
  line: string
  decoder: TextDecoder
  ended: boolean
}

/**
 * Reads the output of a run's commands while they run, each byte once, as lines for the terminal.
 */
export class OutputReader {
  readonly #service: Service
  readonly #columns: () => number | null
  readonly #progress = new Map<string, StreamProgress>()
  readonly #lost = new Set<string>()
  /** the command that was printed last; it is named again only after a change */
  #last = ''

  constructor(service: Service, columns: () => number | null) {
    this.#service = service
    this.#columns = columns
  }

  /** New lines by call id, of calls that run and of those that ended since the last read. */
  async next(transcript: Transcript): Promise<Map<string, string[]>> {
    const lines = new Map<string, string[]>()
    for (const call of transcript.items.flatMap((item) => item.calls ?? [])) {
      const of = [...(await this.#read(call, 'stdout')), ...(await this.#read(call, 'stderr'))]
      if (call.live?.state === 'unknown' && !this.#lost.has(call.callId)) {
        this.#lost.add(call.callId)
        of.push('Nobody knows how the command ended; its output until then is not its result.')
      }
      if (of.length > 0) lines.set(call.callId, of)
    }
    return lines
  }

  async #read(call: TranscriptCall, stream: OutputStream): Promise<string[]> {
    const key = `${call.callId} ${stream}`
    const before = this.#progress.get(key)
    const prints = call.live !== undefined && call.live[stream] > 0
    if (before === undefined ? !prints : before.ended) return []
    const progress = before ?? newProgress()
    this.#progress.set(key, progress)
    const piece = await this.#piece(call.callId, stream, progress)
    if (piece === null) return []
    const lines = this.#lines(progress, piece)
    if (lines.length === 0) return []
    const isSame = this.#last === key
    this.#last = key
    return [...(isSame ? [] : [dim(`${streamNames[stream]}:`)]), ...lines]
  }

  /** The complete lines of a piece; the rest waits for the next one. */
  #lines(progress: StreamProgress, piece: { bytes: Uint8Array; missing: number }): string[] {
    const all = this.#columns()
    const columns = all === null ? null : all - indentColumns
    const linesOf = (text: string): string[] => quoteLines(text, { columns, diff: false })
    const gap =
      piece.missing === 0
        ? []
        : [...linesOf(progress.line), `[${piece.missing} bytes are not shown.]`]
    if (piece.missing > 0) progress.line = ''
    const text = progress.line + progress.decoder.decode(piece.bytes, { stream: !progress.ended })
    const whole =
      progress.ended || text.length > maxLineCharacters ? text.length : text.lastIndexOf('\n') + 1
    progress.line = text.slice(whole)
    return [...gap, ...linesOf(text.slice(0, whole))]
  }

  /** The new part of a stream; `null` if nothing can be read now. */
  async #piece(
    callId: string,
    stream: OutputStream,
    progress: StreamProgress,
  ): Promise<{ bytes: Uint8Array; missing: number } | null> {
    const params = { id: callId, stream }
    const query = { offset: progress.place.offset }
    const answer = await this.#service
      .answer(requestOf('getOutput', { params, query }))
      .catch(refusalText)
    if (answer === 'not_found') {
      progress.ended = true
      return { bytes: new Uint8Array(), missing: 0 }
    }
    if (answer === 'invalid_request') Object.assign(progress, newProgress())
    if (typeof answer === 'string') return null
    const { bytes, headers } = answer
    const numberOf = (name: string): number => Number(headers.get(name))
    const piece = {
      attempt: numberOf('x-output-attempt'),
      start: numberOf('x-output-start'),
      bytes,
    }
    const behind = placeBehind(progress.place, piece)
    if (behind === null) {
      // Another attempt: earlier output does not belong to it.
      Object.assign(progress, newProgress())
      return null
    }
    progress.place = behind.place
    progress.ended = headers.get('x-output-state') === 'ended'
    const rest = bytes.subarray(Math.max(0, bytes.length - maxRestCharacters))
    return { bytes: rest, missing: behind.missing + bytes.length - rest.length }
  }
}

function newProgress(): StreamProgress {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return { place: noOutput, line: '', decoder, ended: false }
}

/**
 * A stopped command has no output any more. An offset beyond the end is from an earlier attempt.
 */
function refusalText(error: unknown): string {
  const mayPass = ['not_found', 'invalid_request', 'rate_limited', 'unavailable']
  if (!(error instanceof ServiceProblem) || !mayPass.includes(error.code)) throw error
  return error.code
}

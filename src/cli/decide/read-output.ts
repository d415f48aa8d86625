import { TextDecoder } from 'node:util'
import type { Transcript, TranscriptCall } from '#api/schemas/runs/transcript.ts'
import { requestOf } from '#client/call.ts'
import { noOutput, placeBehind, type OutputPlace } from '#domain/text/output-place.ts'
import type { OutputStream } from '#domain/tools/tool-result.ts'
import { ServiceProblem, type Service } from '../service/service.ts'
import { dim } from '../text/colour.ts'
import { quoteLines } from '../text/quote-lines.ts'

const names: Record<OutputStream, string> = { stdout: 'standard output', stderr: 'standard error' }
/** A longer line is printed in pieces. */
const maxLineCharacters = 4096
/** For output that a command printed between the last look and its end. */
const maxRestCharacters = 64 * 1024
/** The prefix that the transcript's printer puts before each line. */
const indentColumns = 4

interface FollowedOutput {
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
  readonly #followed = new Map<string, FollowedOutput>()
  readonly #lost = new Set<string>()
  /** the command that was printed last; it is named again only after a change */
  #last = ''

  constructor(service: Service, columns: () => number | null) {
    this.#service = service
    this.#columns = columns
  }

  /** New lines by call id: of the calls that run, and the rest of those that have ended since. */
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
    const before = this.#followed.get(key)
    const prints = call.live !== undefined && call.live[stream] > 0
    if (before === undefined ? !prints : before.ended) return []
    const followed = before ?? newlyFollowed()
    this.#followed.set(key, followed)
    const piece = await this.#piece(call.callId, stream, followed)
    if (piece === null) return []
    const lines = this.#lines(followed, piece)
    if (lines.length === 0) return []
    const isSame = this.#last === key
    this.#last = key
    return [...(isSame ? [] : [dim(`${names[stream]}:`)]), ...lines]
  }

  /** The complete lines of a piece; the rest waits for the next one. */
  #lines(followed: FollowedOutput, piece: { bytes: Uint8Array; missing: number }): string[] {
    const all = this.#columns()
    const columns = all === null ? null : all - indentColumns
    const linesOf = (text: string): string[] => quoteLines(text, { columns, diff: false })
    const gap =
      piece.missing === 0
        ? []
        : [...linesOf(followed.line), `[${piece.missing} bytes are not shown.]`]
    if (piece.missing > 0) followed.line = ''
    const text = followed.line + followed.decoder.decode(piece.bytes, { stream: !followed.ended })
    const whole =
      followed.ended || text.length > maxLineCharacters ? text.length : text.lastIndexOf('\n') + 1
    followed.line = text.slice(whole)
    return [...gap, ...linesOf(text.slice(0, whole))]
  }

  /** The new part of a stream; `null` if nothing can be read now. */
  async #piece(
    callId: string,
    stream: OutputStream,
    followed: FollowedOutput,
  ): Promise<{ bytes: Uint8Array; missing: number } | null> {
    const params = { id: callId, stream }
    const query = { offset: followed.place.offset }
    const answer = await this.#service
      .answer(requestOf('getOutput', { params, query }))
      .catch(refusalText)
    if (answer === 'not_found') {
      followed.ended = true
      return { bytes: new Uint8Array(), missing: 0 }
    }
    if (answer === 'invalid_request') Object.assign(followed, newlyFollowed())
    if (typeof answer === 'string') return null
    const { bytes, headers } = answer
    const numberOf = (name: string): number => Number(headers.get(name))
    const piece = {
      attempt: numberOf('x-output-attempt'),
      start: numberOf('x-output-start'),
      bytes,
    }
    const behind = placeBehind(followed.place, piece)
    if (behind === null) {
      // Another attempt: earlier output does not belong to it.
      Object.assign(followed, newlyFollowed())
      return null
    }
    followed.place = behind.place
    followed.ended = headers.get('x-output-state') === 'ended'
    const rest = bytes.subarray(Math.max(0, bytes.length - maxRestCharacters))
    return { bytes: rest, missing: behind.missing + bytes.length - rest.length }
  }
}

function newlyFollowed(): FollowedOutput {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return { place: noOutput, line: '', decoder, ended: false }
}

/**
 * A stopped command has no output any more. An offset after the end belongs to an attempt that was
 * given up.
 */
function refusalText(error: unknown): string {
  const mayPass = ['not_found', 'invalid_request', 'rate_limited', 'unavailable']
  if (!(error instanceof ServiceProblem) || !mayPass.includes(error.code)) throw error
  return error.code
}

import type { MessageFile, Transcript, TranscriptCall } from '#api/schemas/runs/transcript.ts'
import { approvalSentence } from '#domain/text/approval-words.ts'
import { denialForPeople } from '#domain/deciding/denial-text.ts'
import { callSubject } from '#domain/text/call-subject.ts'
import { bold, dim, green, red, yellow } from './colour.ts'
import { quoteLines } from './quote-lines.ts'
import { printableLine } from './terminal-text.ts'
import { ownRows, wrap } from './wrap.ts'

const maxInputCharacters = 160
const maxResultCharacters = 400
const indent = '    '

function speakerOf({ role, author, covers = [] }: Transcript['items'][number]): string {
  if (role === 'compaction') return `agent's summary of turns ${covers.join(' to ')}`
  return role === 'assistant' ? 'agent' : (author?.name ?? 'input')
}

/** What of a transcript was printed before, so that following a run prints each thing once. */
export class TranscriptPrinter {
  readonly #printed = new Set<string>()
  readonly #said = new Set<number>()
  readonly #own: string[] = []
  readonly #columns: () => number | null

  /** `columns` is read for each text: a window can be resized. */
  constructor(columns: () => number | null) {
    this.#columns = columns
  }

  /**
   * The new lines since the last call. `output` has those of what calls have printed since, by call
   * id.
   */
  next(transcript: Transcript, output: ReadonlyMap<string, readonly string[]>): string[] {
    const lines: string[] = []
    for (const item of transcript.items) {
      const key = `text ${item.role} ${item.turn} ${item.at}`
      if (item.text !== undefined && item.text !== '' && this.#isNews(item, key)) {
        const speaker = speakerOf(item)
        lines.push(bold(printableLine(speaker)), ...this.#quoteLines(item.text, ''))
      }
      const files = item.files ?? []
      if (files.length > 0 && this.#first(`files ${key}`)) {
        lines.push(...files.map((file) => dim(`  [${printableLine(fileLine(file))}]`)))
      }
      for (const call of item.calls ?? []) {
        // A call is stored a moment before it is judged, and printed when its verdict is known.
        if (call.verdict === null && call.result === undefined) continue
        if (this.#first(`call ${call.callId}`)) lines.push(...callLines(call, this.#columns()))
        lines.push(...(output.get(call.callId) ?? []).map((line) => indent + line))
        if (call.result !== undefined && this.#first(`result ${call.callId}`)) {
          lines.push(...this.#result(call, call.result))
        }
      }
    }
    return lines.flatMap((line) => ownRows(line, this.#columns()))
  }

  /** Whether the model's text of a turn was printed. */
  hasPrinted(turn: number): boolean {
    return this.#said.has(turn)
  }

  /** Says whether the text of the model in a turn is printed elsewhere while it arrives. */
  setPrinted(turn: number, isPrinted: boolean): void {
    if (isPrinted) this.#said.add(turn)
    else this.#said.delete(turn)
  }

  /** Leaves out a message that was typed here, because the terminal shows it already. */
  leaveOut(message: string): void {
    this.#own.push(message)
  }

  /** Whether a text is to be printed: once, and not after it was printed elsewhere. */
  #isNews({ role, turn, text = '' }: Transcript['items'][number], key: string): boolean {
    if (role === 'assistant') {
      if (this.#said.has(turn)) return false
      this.#said.add(turn)
      return this.#first(key)
    }
    if (!this.#first(key)) return false
    const own = this.#own.findIndex(
      (one) => text === one || text.startsWith(`${one}\n\nAttached files:\n`),
    )
    if (own === -1) return true
    this.#own.splice(own, 1)
    return false
  }

  #result(call: TranscriptCall, result: NonNullable<TranscriptCall['result']>): string[] {
    const word = result.type === 'output' ? green('done') : red(result.type)
    const who = deciderWords(call, result)
    const decider = who === null ? '' : ` ${dim(printableLine(who))}`
    return [
      `${indent}${printableLine(call.tool)} ${word}${decider}`,
      ...this.#quoteLines(shorten(textOf(result), maxResultCharacters), indent),
    ]
  }

  #quoteLines(text: string, before: string): string[] {
    const columns = this.#columns()
    const rest = columns === null ? null : columns - before.length
    return quoteLines(text, { columns: rest, diff: false }).map((line) => before + line)
  }

  #first(key: string): boolean {
    if (this.#printed.has(key)) return false
    this.#printed.add(key)
    return true
  }
}

/** Who denied a call, after the word `denied`, or who approved it; `null`: no person did. */
function deciderWords(
  { tool, approval, denial }: TranscriptCall,
  { type }: NonNullable<TranscriptCall['result']>,
): string | null {
  if (type === 'denied' && denial !== undefined) return `by ${denial.by.name}`
  return approval === undefined ? null : approvalSentence(tool, approval)
}

function textOf({ type, text = '' }: NonNullable<TranscriptCall['result']>): string {
  return type === 'denied' ? denialForPeople(text) : text
}

function fileLine({ name, mediaType, bytes }: MessageFile): string {
  return `${name}, ${mediaType}, ${bytes} bytes`
}

/**
 * A call's mark, tool and subject. Wrapped here, so that no row of a narrow terminal begins with
 * what a model wrote.
 */
function callLines(call: TranscriptCall, columns: number | null): string[] {
  const subject = callSubject(call.input) ?? JSON.stringify(call.input)
  const tool = printableLine(call.tool)
  const line = `${tool} ${printableLine(shorten(subject, maxInputCharacters))}`
  const [first = '', ...others] = columns === null ? [line] : wrap(line, columns - indent.length)
  const input = dim(first.slice(tool.length))
  return [
    `  ${verdictMark(call)} ${first.slice(0, tool.length)}${input}`,
    ...others.map((row) => dim(`  ↪ ${row}`)),
  ]
}

function verdictMark(call: TranscriptCall): string {
  if (call.verdict === 'preApproved') return green('·')
  if (call.verdict === 'ask') return yellow('?')
  return call.verdict === null ? dim('…') : red('×')
}

function shorten(text: string, maxCharacters: number): string {
  const characters = [...text]
  return characters.length <= maxCharacters
    ? text
    : `${characters.slice(0, maxCharacters).join('')}… (${characters.length - maxCharacters} more characters)`
}

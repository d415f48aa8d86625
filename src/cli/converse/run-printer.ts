import type { UiPart } from '#domain/runs/ui-part.ts'
import { nullIfUnreachable } from '../decide/request-keys.ts'
import { OutputReader } from '../decide/read-output.ts'
import { hasDenial } from '../decide/watch-run.ts'
import type { Service } from '../service/service.ts'
import { bold, dim } from '../text/colour.ts'
import { TranscriptPrinter } from '../text/transcript-text.ts'
import { terminalColumns } from '../text/wrap.ts'
import { LiveText } from './live-text.ts'
import { lostSentence } from './sentences.ts'

/**
 * Prints a run: the text of its model while it arrives, and everything else from the transcript,
 * each thing once.
 */
export class RunPrinter {
  readonly #service: Service
  readonly #runId: string
  readonly #transcript = new TranscriptPrinter(terminalColumns)
  readonly #output: OutputReader
  readonly #live = new LiveText(() => terminalColumns() ?? 80)
  /** the turn whose text is printed while it arrives; null: none */
  #turnInPrint: number | null = null
  #hasDenial = false

  constructor(service: Service, runId: string) {
    this.#service = service
    this.#runId = runId
    this.#output = new OutputReader(service, terminalColumns)
  }

  /** Whether a call of the printed transcript was denied. */
  get hasDenial(): boolean {
    return this.#hasDenial
  }

  get isPrintingText(): boolean {
    return this.#turnInPrint !== null
  }

  /** Reads the transcript and prints what is new in it. */
  async printNews(): Promise<void> {
    const transcript = await this.#service.call('getTranscript', { params: { id: this.#runId } })
    const output = await this.#output.next(transcript)
    for (const line of this.#transcript.next(transcript, output)) console.log(line)
    this.#hasDenial ||= hasDenial(transcript)
  }

  /** Prints what one part of the stream brings. */
  async handlePart(part: UiPart | { readonly type: 'lost' | 'back' }): Promise<void> {
    switch (part.type) {
      case 'text-start': {
        const turn = Number(part.id.split('.')[0])
        if (this.#transcript.hasPrinted(turn)) return
        await this.printNews().catch(nullIfUnreachable)
        if (this.#transcript.hasPrinted(turn)) return
        this.#transcript.setPrinted(turn, true)
        this.#turnInPrint = turn
        console.log(bold('agent'))
        return
      }
      case 'text-delta':
        if (this.isPrintingText) process.stdout.write(this.#live.add(part.delta))
        return
      case 'text-end':
        if (this.isPrintingText) process.stdout.write(this.#live.end())
        this.#turnInPrint = null
        return
      case 'reset-step':
        if (this.dropText()) console.log(dim('The model call failed; it is tried again.'))
        return
      case 'lost':
        // The text continues where it was interrupted, or begins again after `reset-step`.
        this.pauseText()
        console.error(lostSentence)
        return
      case 'back':
        console.error(dim('Connected again.'))
        return
      default:
        await this.printNews().catch(nullIfUnreachable)
    }
  }

  /** Ends the line of the text, so that something else can be printed. */
  pauseText(): void {
    process.stdout.write(this.#live.pause())
  }

  /** Ends an incomplete text, which the transcript has in full later. True: there was one. */
  dropText(): boolean {
    const turn = this.#turnInPrint
    if (turn === null) return false
    process.stdout.write(this.#live.drop())
    this.#turnInPrint = null
    this.#transcript.setPrinted(turn, false)
    return true
  }

  /** Leaves out a message that was typed here, because the terminal shows it already. */
  leaveOut(message: string): void {
    this.#transcript.leaveOut(message)
  }
}

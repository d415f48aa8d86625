import { setTimeout as delay } from 'node:timers/promises'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import type { UiPart } from '#domain/runs/ui-part.ts'
import { askByKey } from '../decide/ask-by-key.ts'
import { nullIfUnreachable, keysOf } from '../decide/keys-of.ts'
import { OutputReader } from '../decide/read-output.ts'
import { sendChoice } from '../decide/send-choice.ts'
import { type Service, pageUrl } from '../service/service.ts'
import { CommandFailure, type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { isDumb } from '../terminal/interactive.ts'
import { isInterrupt, Keyboard } from '../terminal/keyboard.ts'
import type { Line } from '../terminal/read-line.ts'
import { bold, dim } from '../text/colour.ts'
import { printableLine } from '../text/terminal-text.ts'
import { TranscriptPrinter } from '../text/transcript-text.ts'
import { waitingLines } from '../text/waiting-lines.ts'
import { terminalColumns } from '../text/wrap.ts'
import { followStream, isFinal } from './follow-stream.ts'
import { leftSentence, lostSentence, restSentence } from './sentences.ts'
import { LiveText } from './live-text.ts'
import { messageOf, runLine, type LineOutcome } from './run-line.ts'

/** How often to look for what no stream reports: output of commands, child runs, other people. */
const lookEveryMs = 1_000

type NextStep = ExitCode | 'again' | { readonly runId: string }

/**
 * A run as a conversation at the terminal: its text as it is written, its calls, a key for each
 * decision that the person may make, and messages and `/` commands at any time. Ctrl-C ends the
 * command, not the run. The exit codes are those of a watched run; 3 also means that the run was
 * left while it worked.
 */
export async function converse(service: Service, reference: string): Promise<ExitCode> {
  let run = await service.call('getRun', { params: { id: reference } })
  using keyboard = new Keyboard(() => {
    console.log(leftSentence(run))
    process.exit(exitCodes.pending)
  })
  for (;;) {
    const next = await new Conversation(service, keyboard, run).hold()
    if (typeof next === 'number') return next
    run = await service.call('getRun', { params: { id: next.runId } })
  }
}

/** Takes the prompt off its line; a terminal without such a sequence goes on below it. */
function leavePrompt(): string {
  return isDumb() ? '\n' : '\r\u001B[K'
}

class Conversation {
  readonly #service: Service
  readonly #keyboard: Keyboard
  /** the run as it was at the last look */
  #run: RunDetail
  readonly #printer: TranscriptPrinter
  readonly #output: OutputReader
  readonly #live: LiveText
  /** files for the next message */
  readonly #files: string[] = []
  /** requests that were decided, left or mentioned here */
  readonly #known = new Set<string>()
  #writing: number | null = null
  #denied = false
  /** the rest that was printed last */
  #rest = ''

  constructor(service: Service, keyboard: Keyboard, run: RunDetail) {
    this.#service = service
    this.#keyboard = keyboard
    this.#run = run
    this.#printer = new TranscriptPrinter(terminalColumns)
    this.#output = new OutputReader(service, terminalColumns)
    this.#live = new LiveText(() => terminalColumns() ?? 80)
  }

  /** Returns when the run has ended, or the person leaves or continues with another run. */
  async hold(): Promise<ExitCode | { readonly runId: string }> {
    console.log(dim('Type a message or /help. Ctrl-C leaves; the run goes on.'))
    for (;;) {
      const next = (await this.#reach()) ? await this.#atState(this.#run) : this.#left()
      if (next !== 'again') return next
    }
  }

  /**
   * Looks at the run, and then prints what is new, so that what it said before it came to rest is
   * among that. Waits for a service that is away. False: Ctrl-C.
   */
  async #reach(): Promise<boolean> {
    for (let isLost = false; ;) {
      try {
        await this.#lookAtRun()
        await this.#sync()
        return true
      } catch (error) {
        if (isFinal(error)) throw error
        if (!isLost) console.error(lostSentence)
        isLost = true
      }
      await Promise.race([this.#keyboard.untilPressed(), delay(lookEveryMs)])
      if (this.#keyboard.take().some(isInterrupt)) return false
    }
  }

  async #atState(run: RunDetail): Promise<NextStep> {
    switch (run.state) {
      case 'completed':
        console.log('completed')
        return this.#denied ? exitCodes.denied : exitCodes.done
      case 'failed':
      case 'cancelled': {
        const why = run.failure === undefined ? '' : `: ${printableLine(run.failure.message)}`
        console.error(`${run.state}${why}`)
        return exitCodes.failed
      }
      case 'waiting_for_input':
        return this.#whileItRests(run)
      case 'running':
      case 'waiting_for_approval':
        return this.#whileItWorks()
    }
  }

  async #whileItRests(run: RunDetail): Promise<NextStep> {
    const rest = `${run.rest} ${run.turns}`
    if (rest !== this.#rest) console.log(restSentence(run))
    this.#rest = rest
    if (!run.allowed.message) return this.#codeAtRest(run)
    process.stdout.write('> ')
    for (;;) {
      await Promise.race([this.#keyboard.untilPressed(), delay(lookEveryMs)])
      const keys = this.#keyboard.take()
      if (keys.length > 0) {
        process.stdout.write(leavePrompt())
        return this.#typed(keys)
      }
      const now = await this.#lookAtRun().catch(nullIfUnreachable)
      if (now !== null && (now.state !== run.state || now.turns !== run.turns)) {
        process.stdout.write(leavePrompt())
        return 'again'
      }
    }
  }

  async #whileItWorks(): Promise<NextStep> {
    const leave = new AbortController()
    const parts = followStream(this.#service, this.#run.id, leave.signal)
    try {
      for (let part = parts.next(); ;) {
        const received = part.then((value) => ({ value }))
        const pause = delay(lookEveryMs, 'look' as const, { signal: leave.signal }).catch(
          () => 'look' as const,
        )
        const first = await Promise.race([received, this.#keyboard.untilPressed(), pause])
        const keys = this.#keyboard.take()
        if (keys.length > 0) {
          process.stdout.write(this.#live.pause())
          const next = await this.#typed(keys)
          if (next !== 'again') return next
        }
        if (first === 'look') {
          const next = this.#writing === null ? await this.#look().catch(nullIfUnreachable) : null
          if (next !== null) return next
        } else if (first !== undefined) {
          if (first.value.done === true) {
            this.#dropText()
            return 'again'
          }
          await this.#tell(first.value.value)
          part = parts.next()
        }
      }
    } finally {
      leave.abort()
    }
  }

  /**
   * Handles one part of the stream. Text is printed as it arrives; everything else is read from the
   * transcript.
   */
  async #tell(part: UiPart | { readonly type: 'lost' | 'back' }): Promise<void> {
    switch (part.type) {
      case 'text-start': {
        const turn = Number(part.id.split('.')[0])
        if (this.#printer.hasSaid(turn)) return
        await this.#sync().catch(nullIfUnreachable)
        if (this.#printer.hasSaid(turn)) return
        this.#printer.setSaid(turn, true)
        this.#writing = turn
        console.log(bold('agent'))
        return
      }
      case 'text-delta':
        if (this.#writing !== null) process.stdout.write(this.#live.add(part.delta))
        return
      case 'text-end':
        this.#endText()
        return
      case 'reset-step':
        if (this.#dropText()) console.log(dim('The model call failed; it is tried again.'))
        return
      case 'lost':
        // The text goes on where it broke off, or begins again after `reset-step`.
        process.stdout.write(this.#live.pause())
        console.error(lostSentence)
        return
      case 'back':
        console.error(dim('Connected again.'))
        return
      default:
        await this.#sync().catch(nullIfUnreachable)
    }
  }

  /** Ends a text that is not whole: the transcript has all of it later. True: there was one. */
  #dropText(): boolean {
    const turn = this.#writing
    if (turn === null) return false
    process.stdout.write(this.#live.drop())
    this.#writing = null
    this.#printer.setSaid(turn, false)
    return true
  }

  #endText(): void {
    if (this.#writing !== null) process.stdout.write(this.#live.end())
    this.#writing = null
  }

  async #sync(): Promise<void> {
    const transcript = await this.#service.call('getTranscript', { params: { id: this.#run.id } })
    const output = await this.#output.next(transcript)
    for (const line of this.#printer.next(transcript, output)) console.log(line)
    this.#denied ||= transcript.items.some((item) =>
      item.calls?.some((call) => call.result?.type === 'denied'),
    )
  }

  async #lookAtRun(): Promise<RunDetail> {
    this.#run = await this.#service.call('getRun', { params: { id: this.#run.id } })
    return this.#run
  }

  /**
   * The requests for which the run and its child runs wait: each is decided here or mentioned once.
   */
  async #look(): Promise<Exclude<NextStep, 'again'> | null> {
    await this.#sync()
    const run = await this.#lookAtRun()
    for (const { requestId, number, people } of run.waitsFor) {
      if (this.#known.has(requestId)) continue
      this.#known.add(requestId)
      const request = await this.#service.call('getRequest', { params: { id: requestId } })
      if (request.state !== 'pending') continue
      if (!request.eligibility.canDecide) {
        const who = people.map(({ name }) => name).join(', ') || 'a decision'
        const url = pageUrl(this.#service, `/requests/${requestId}`)
        const where = { who, url, columns: terminalColumns() }
        console.log(waitingLines(request, where).join('\n'))
        continue
      }
      const line: { next: NextStep } = { next: 'again' }
      const keys = keysOf(this.#service, this.#keyboard, requestId, async (command) => {
        line.next = await this.#runLine(command)
        if (typeof line.next === 'number') return 'detach'
        const { waitsFor } = await this.#lookAtRun()
        const waits = waitsFor.some((one) => one.requestId === requestId)
        return line.next === 'again' && waits ? null : 'left'
      })
      const choice = await askByKey(this.#service, request, keys)
      if (line.next !== 'again') return line.next
      if (choice === 'detach') return this.#left()
      if (choice === 'left') console.log(`#${number} is not decided.`)
      if (choice === 'gone') console.log(`#${number} was decided elsewhere.`)
      if (typeof choice === 'string') continue
      try {
        console.log(await sendChoice(this.#service, request, choice))
      } catch (error) {
        // Another person was faster, or the request changed. This is printed, and the next look
        // shows the current state.
        if (!(error instanceof CommandFailure)) throw error
        console.error(error.message)
      }
      await this.#sync()
    }
    return null
  }

  async #typed(keys: Parameters<Keyboard['line']>[0]): Promise<NextStep> {
    if (keys.some(isInterrupt)) return this.#left()
    if (keys.every(({ text }) => text === '')) return 'again'
    const line = await this.#keyboard.line(keys)
    return line === null ? 'again' : this.#runLine(line)
  }

  async #runLine(line: Line): Promise<NextStep> {
    let outcome: LineOutcome
    try {
      outcome = await runLine(this.#service, { run: this.#run, files: this.#files }, line)
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error
      console.error(error.message)
      return 'again'
    }
    if (outcome === 'detach') return this.#left()
    if (typeof outcome === 'object') return outcome
    if (outcome === 'said') this.#printer.leaveOut(messageOf(line))
    return 'again'
  }

  #left(): ExitCode {
    this.#dropText()
    console.log(leftSentence(this.#run))
    return this.#run.state === 'waiting_for_input' ? this.#codeAtRest(this.#run) : exitCodes.pending
  }

  #codeAtRest({ rest }: RunDetail): ExitCode {
    if (this.#denied) return exitCodes.denied
    return rest === 'answered' ? exitCodes.done : exitCodes.failed
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import { neededPeople } from '#domain/deciding/needed-people.ts'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { askByKey } from '../decide/ask-by-key.ts'
import { nullIfUnreachable, requestKeys } from '../decide/request-keys.ts'
import { sendChoice } from '../decide/send-choice.ts'
import { type Service, pageUrl } from '../service/service.ts'
import { CommandFailure, type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { isDumb } from '../terminal/interactive.ts'
import { isInterrupt, Keyboard } from '../terminal/keyboard.ts'
import type { Line } from '../terminal/read-line.ts'
import { dim } from '../text/colour.ts'
import { stateLine } from '../text/state-line.ts'
import { waitingLines } from '../text/waiting-lines.ts'
import { terminalColumns } from '../text/wrap.ts'
import { followStream, isFinal } from './follow-stream.ts'
import { leftSentence, lostSentence, restSentence } from './sentences.ts'
import { RunPrinter } from './run-printer.ts'
import { messageOf, runLine, type LineOutcome } from './run-line.ts'

/**
 * The interval of polling for what no stream reports: output of commands, child runs, decisions.
 */
const pollEveryMs = 1_000

type NextStep = ExitCode | 'again' | { readonly runId: string }

/**
 * A run as a conversation at the terminal: its text as it is written, its calls, a key for each
 * decision that the person may make, and messages and `/` commands at any time. Ctrl-C ends the
 * command, not the run. The exit codes are those of a watched run; 3 also means that the person
 * left while the run worked.
 */
export async function converse(service: Service, reference: string): Promise<ExitCode> {
  let run = await service.call('getRun', { params: { id: reference } })
  using keyboard = new Keyboard(() => {
    console.log(leftSentence(run))
    process.exit(exitCodes.pending)
  })
  for (;;) {
    const next = await new Conversation(service, keyboard, run).run()
    if (typeof next === 'number') return next
    run = await service.call('getRun', { params: { id: next.runId } })
  }
}

/** Erases the prompt; a terminal without that sequence continues on the next line. */
function erasePrompt(): string {
  return isDumb() ? '\n' : '\r\u001B[K'
}

class Conversation {
  readonly #service: Service
  readonly #keyboard: Keyboard
  /** the run as it was when it was last read */
  #run: RunDetail
  readonly #printer: RunPrinter
  /** files for the next message */
  readonly #files: string[] = []
  /** requests that were decided, left or named here */
  readonly #handledIds = new Set<string>()
  /** the reason and the turn at which the run rested when that was last printed */
  #printedRest = ''

  constructor(service: Service, keyboard: Keyboard, run: RunDetail) {
    this.#service = service
    this.#keyboard = keyboard
    this.#run = run
    this.#printer = new RunPrinter(service, run.id)
  }

  /** Resolves once the run has ended, or the person leaves or continues with another run. */
  async run(): Promise<ExitCode | { readonly runId: string }> {
    console.log(dim('Type a message or /help. Ctrl-C leaves; the run goes on.'))
    for (;;) {
      const next = (await this.#update()) ? await this.#continueFrom(this.#run) : this.#leave()
      if (next !== 'again') return next
    }
  }

  /**
   * Reads the run first and its transcript afterwards, so that the printed text has everything up
   * to the state of the run. Waits while the service is unreachable. False: Ctrl-C.
   */
  async #update(): Promise<boolean> {
    for (let isLost = false; ;) {
      try {
        await this.#readRun()
        await this.#printer.printNews()
        return true
      } catch (error) {
        if (isFinal(error)) throw error
        if (!isLost) console.error(lostSentence)
        isLost = true
      }
      await Promise.race([this.#keyboard.untilPressed(), delay(pollEveryMs)])
      if (this.#keyboard.take().some(isInterrupt)) return false
    }
  }

  async #continueFrom(run: RunDetail): Promise<NextStep> {
    switch (run.state) {
      case 'completed':
        console.log('completed')
        return this.#printer.hasDenial ? exitCodes.denied : exitCodes.done
      case 'failed':
      case 'cancelled':
        console.error(stateLine(run))
        return exitCodes.failed
      case 'waiting_for_input':
        return this.#waitAtRest(run)
      case 'running':
      case 'waiting_for_approval':
        return this.#followWork()
    }
  }

  async #waitAtRest(run: RunDetail): Promise<NextStep> {
    const rest = `${run.rest} ${run.turns}`
    if (rest !== this.#printedRest) console.log(restSentence(run))
    this.#printedRest = rest
    if (!run.allowed.message) return this.#codeAtRest(run)
    process.stdout.write('> ')
    for (;;) {
      await Promise.race([this.#keyboard.untilPressed(), delay(pollEveryMs)])
      const keys = this.#keyboard.take()
      if (keys.length > 0) {
        process.stdout.write(erasePrompt())
        return this.#handleKeys(keys)
      }
      const now = await this.#readRun().catch(nullIfUnreachable)
      if (now !== null && (now.state !== run.state || now.turns !== run.turns)) {
        process.stdout.write(erasePrompt())
        return 'again'
      }
    }
  }

  async #followWork(): Promise<NextStep> {
    const stopping = new AbortController()
    const parts = followStream(this.#service, this.#run.id, stopping.signal)
    try {
      for (let part = parts.next(); ;) {
        const received = part.then((value) => ({ value }))
        const pause = delay(pollEveryMs, 'poll' as const, { signal: stopping.signal }).catch(
          () => 'poll' as const,
        )
        const first = await Promise.race([received, this.#keyboard.untilPressed(), pause])
        const keys = this.#keyboard.take()
        if (keys.length > 0) {
          this.#printer.pauseText()
          const next = await this.#handleKeys(keys)
          if (next !== 'again') return next
        }
        if (first === 'poll') {
          const next = !this.#printer.isPrintingText
            ? await this.#decideRequests().catch(nullIfUnreachable)
            : null
          if (next !== null) return next
        } else if (first !== undefined) {
          if (first.value.done === true) {
            this.#printer.dropText()
            return 'again'
          }
          await this.#printer.handlePart(first.value.value)
          part = parts.next()
        }
      }
    } finally {
      stopping.abort()
    }
  }

  async #readRun(): Promise<RunDetail> {
    this.#run = await this.#service.call('getRun', { params: { id: this.#run.id } })
    return this.#run
  }

  /**
   * Goes through the requests for which the run and its child runs wait: each is decided here, or
   * named once.
   */
  async #decideRequests(): Promise<Exclude<NextStep, 'again'> | null> {
    await this.#printer.printNews()
    const run = await this.#readRun()
    for (const { requestId, number, people } of run.waitsFor) {
      if (this.#handledIds.has(requestId)) continue
      this.#handledIds.add(requestId)
      const request = await this.#service.call('getRequest', { params: { id: requestId } })
      if (request.state !== 'pending') continue
      if (!request.eligibility.canDecide) {
        const names = neededPeople(people).map(({ name }) => name)
        const who = names.join(', ') || 'a decision'
        const url = pageUrl(this.#service, `/requests/${requestId}`)
        const where = { who, url, columns: terminalColumns() }
        console.log(waitingLines(request, where).join('\n'))
        continue
      }
      const line: { next: NextStep } = { next: 'again' }
      const keys = requestKeys(this.#service, this.#keyboard, requestId, async (command) => {
        line.next = await this.#runLine(command)
        if (typeof line.next === 'number') return 'detach'
        const { waitsFor } = await this.#readRun()
        const waits = waitsFor.some((one) => one.requestId === requestId)
        return line.next === 'again' && waits ? null : 'left'
      })
      const choice = await askByKey(this.#service, request, keys)
      if (line.next !== 'again') return line.next
      if (choice === 'detach') return this.#leave()
      if (choice === 'left') console.log(`#${number} is not decided.`)
      if (choice === 'gone') console.log(`#${number} was decided elsewhere.`)
      if (typeof choice === 'string') continue
      await sendChoice(this.#service, request, choice)
      await this.#printer.printNews()
    }
    return null
  }

  async #handleKeys(keys: Parameters<Keyboard['line']>[0]): Promise<NextStep> {
    if (keys.some(isInterrupt)) return this.#leave()
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
    if (outcome === 'detach') return this.#leave()
    if (typeof outcome === 'object') return outcome
    if (outcome === 'sent') this.#printer.leaveOut(messageOf(line))
    return 'again'
  }

  #leave(): ExitCode {
    this.#printer.dropText()
    console.log(leftSentence(this.#run))
    return this.#run.state === 'waiting_for_input' ? this.#codeAtRest(this.#run) : exitCodes.pending
  }

  #codeAtRest({ rest }: RunDetail): ExitCode {
    if (this.#printer.hasDenial) return exitCodes.denied
    return rest === 'answered' ? exitCodes.done : exitCodes.failed
  }
}

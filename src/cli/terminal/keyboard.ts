import { StringDecoder } from 'node:string_decoder'
import { emitKeypressEvents } from 'node:readline'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { isDumb } from './interactive.ts'
import {
  markPastes,
  PasteSplitter,
  stopMarkingPastes,
  type TerminalInput,
} from './paste-splitter.ts'
import { pastedLine, pastedWords, withLineBreaks } from './pasted-text.ts'
import { readLine, type Line } from './read-line.ts'
import { type Key, typedAhead } from './typed-ahead.ts'

/** After so long without a key, the next one was pressed by somebody who has read the screen. */
const quietMs = 250
/** The time in which the rest of a mark arrives. */
const markMs = 50
const showCursor = '\u001B[?25h'
const ctrlZ = '\u001A'

/** The keys of the terminal, one after the other, until a prompt wants whole lines. */
export class Keyboard implements Disposable {
  readonly #pressed: Key[] = []
  /** what is typed, without what is pasted */
  readonly #typed = new Readable({ read: () => undefined })
  readonly #decoder = new StringDecoder()
  readonly #splitter = new PasteSplitter()
  readonly #leave: () => void
  #paste: (text: string) => void
  #release: NodeJS.Timeout | undefined
  #next: PromiseWithResolvers<void> | null = null

  /**
   * `leave` ends the command: at a second Ctrl-C while nobody has taken the first, as when the
   * service does not answer, and when the terminal is gone.
   */
  constructor(leave: () => void) {
    this.#leave = leave
    this.#paste = this.#takePaste
    emitKeypressEvents(this.#typed)
    this.#typed.on('keypress', this.#take).resume()
    this.#open()
  }

  /** Resolves when a key was pressed that nobody has taken. Asked again, it is the same promise. */
  async untilPressed(): Promise<void> {
    if (this.#pressed.length > 0) return
    this.#next ??= Promise.withResolvers()
    await this.#next.promise
  }

  /** The keys that were pressed. */
  take(): readonly Key[] {
    return this.#pressed.splice(0)
  }

  /**
   * Drops the keys that were typed ahead, until none comes for `restMs`. True: one of them was
   * Ctrl-C or Ctrl-D.
   */
  async settle(restMs = quietMs): Promise<boolean> {
    for (;;) {
      if (this.take().some(isInterrupt)) return true
      const pause = new AbortController()
      const key = this.untilPressed().then(() => 'key')
      const quiet = delay(restMs, 'quiet', { signal: pause.signal }).catch(() => 'quiet')
      const first = await Promise.race([key, quiet])
      pause.abort()
      if (first === 'quiet') return false
    }
  }

  /** Hands the terminal to another program, such as a pager. */
  async aside<T>(act: () => Promise<T>): Promise<T> {
    this.#close()
    try {
      return await act()
    } finally {
      this.#open()
    }
  }

  /** Hands the keys to a prompt of one line, which pasted text does not submit. */
  async prompt<T>(act: (input: Readable) => Promise<T>): Promise<T> {
    this.#typed.off('keypress', this.#take)
    this.#paste = (text) => void this.#typed.push(pastedWords(text))
    try {
      return await act(this.#typed)
    } finally {
      this.#paste = this.#takePaste
      this.#typed.on('keypress', this.#take).resume()
    }
  }

  /**
   * The line that begins with what was typed already. `null`: Ctrl-C or Ctrl-D, or nothing was
   * written.
   */
  async line(pressed: readonly Key[]): Promise<Line | null> {
    const end = pressed.findIndex(({ name }) => name === 'return' || name === 'enter')
    const insertions = typedAhead(end === -1 ? pressed : pressed.slice(0, end))
    if (end === -1) {
      return this.prompt((keys) =>
        readLine(keys, insertions, (insert) => {
          this.#paste = (text) => insert(pastedLine(text))
        }),
      )
    }
    this.#pressed.unshift(...pressed.slice(end + 1))
    const text = insertions.map((piece) => piece.text).join('')
    process.stdout.write(`> ${text}\n`)
    if (text.trim() === '') return null
    return { text: withLineBreaks(text), isPasted: insertions[0]?.isPasted === true }
  }

  [Symbol.dispose](): void {
    this.#close()
  }

  #open(): void {
    process.stdin.setRawMode(true)
    process.stdin.on('data', this.#read).once('end', this.#leaveNow).resume()
    this.#tell(markPastes)
    for (const signal of endSignals) process.once(signal, this.#end)
    process.on('SIGCONT', this.#resume)
  }

  #close(): void {
    clearTimeout(this.#release)
    process.stdin.off('data', this.#read).off('end', this.#leaveNow).pause()
    process.stdin.setRawMode(false)
    this.#tell(stopMarkingPastes)
    for (const signal of endSignals) process.off(signal, this.#end)
    process.off('SIGCONT', this.#resume)
  }

  #tell(sequence: string): void {
    if (!isDumb()) process.stdout.write(sequence)
  }

  readonly #read = (bytes: Buffer): void => {
    clearTimeout(this.#release)
    this.#spread(this.#splitter.split(this.#decoder.write(bytes)))
    if (!this.#splitter.isHolding) return
    this.#release = setTimeout(() => this.#spread(this.#splitter.release()), markMs)
  }

  #spread(parts: readonly TerminalInput[]): void {
    for (const { kind, text } of parts) {
      if (kind === 'paste') this.#paste(text)
      else {
        if (text.includes(ctrlZ)) this.#stop()
        this.#typed.push(text.replaceAll(ctrlZ, ''))
      }
    }
  }

  /** Stops the command until the shell continues it, with the terminal as it was meanwhile. */
  #stop(): void {
    this.#close()
    this.#tell(showCursor)
    // The whole group, as the terminal itself does: it may have a launcher above this process.
    process.kill(0, 'SIGTSTP')
    this.#open()
    // A line that is edited is drawn again.
    process.stdout.emit('resize')
  }

  readonly #take = (text: string | undefined, key: { name?: string; ctrl?: boolean }): void => {
    const { name = '', ctrl = false } = key
    // Arrows and such begin with an escape sequence: they write nothing.
    const writes = text !== undefined && !ctrl && !/\p{Cc}/u.test(text)
    const pressed = { name, ctrl, text: writes ? text : '' }
    if (isInterrupt(pressed) && this.#pressed.some(isInterrupt)) return this.#leaveNow()
    this.#add(pressed)
  }

  readonly #takePaste = (text: string): void => {
    this.#add({ name: 'paste', ctrl: false, text: pastedLine(text) })
  }

  #add(key: Key): void {
    this.#pressed.push(key)
    this.#next?.resolve()
    this.#next = null
  }

  readonly #leaveNow = (): void => {
    this.#close()
    this.#leave()
  }

  /** The terminal is left as it was before the signal ends this process. */
  readonly #end = (signal: NodeJS.Signals): void => {
    this.#close()
    this.#tell(showCursor)
    process.kill(process.pid, signal)
  }

  /** A shell in which this process was stopped has set the terminal for itself. */
  readonly #resume = (): void => {
    process.stdin.setRawMode(false)
    process.stdin.setRawMode(true)
    this.#tell(markPastes)
  }
}

const endSignals = ['SIGTERM', 'SIGHUP'] as const

/** Whether a key means to leave. */
export function isInterrupt({ name, ctrl }: Key): boolean {
  return ctrl && (name === 'c' || name === 'd')
}

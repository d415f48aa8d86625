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

/** After so long without a key, the next one counts as an answer to what is on the screen. */
const quietMs = 250
/** How long to wait for the rest of a mark of pasted text. */
const markMs = 50
const showCursor = '\u001B[?25h'
const ctrlZ = '\u001A'

/** The keys of the terminal, one after the other, until a prompt wants whole lines. */
export class Keyboard implements Disposable {
  readonly #keys: Key[] = []
  /** what is typed, without what is pasted */
  readonly #input = new Readable({ read: () => undefined })
  readonly #decoder = new StringDecoder()
  readonly #splitter = new PasteSplitter()
  readonly #onLeave: () => void
  #paste: (text: string) => void
  #release: NodeJS.Timeout | undefined
  #next: PromiseWithResolvers<void> | null = null

  /**
   * `onLeave` ends the command. It is called at a second Ctrl-C before the first one was handled,
   * as while the service does not answer, and when the terminal is closed.
   */
  constructor(onLeave: () => void) {
    this.#onLeave = onLeave
    this.#paste = this.#takePaste
    emitKeypressEvents(this.#input)
    this.#input.on('keypress', this.#take).resume()
    this.#open()
  }

  /** Resolves once a key was pressed that `take` has not returned. */
  async untilPressed(): Promise<void> {
    if (this.#keys.length > 0) return
    this.#next ??= Promise.withResolvers()
    await this.#next.promise
  }

  /** The keys that were pressed since the last call. */
  take(): readonly Key[] {
    return this.#keys.splice(0)
  }

  /**
   * Drops the keys that were typed ahead, until no key comes for `restMs`. True: one of them was
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

  /** Gives the terminal to another program, such as a pager, until `act` has ended. */
  async aside<T>(act: () => Promise<T>): Promise<T> {
    this.#close()
    try {
      return await act()
    } finally {
      this.#open()
    }
  }

  /** Gives the keys to a prompt of one line, which pasted text does not submit. */
  async prompt<T>(act: (input: Readable) => Promise<T>): Promise<T> {
    this.#input.off('keypress', this.#take)
    this.#paste = (text) => void this.#input.push(pastedWords(text))
    try {
      return await act(this.#input)
    } finally {
      this.#paste = this.#takePaste
      this.#input.on('keypress', this.#take).resume()
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
    this.#keys.unshift(...pressed.slice(end + 1))
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
    this.#writeSequence(markPastes)
    for (const signal of endSignals) process.once(signal, this.#onEndSignal)
    process.on('SIGCONT', this.#onResume)
  }

  #close(): void {
    clearTimeout(this.#release)
    process.stdin.off('data', this.#read).off('end', this.#leaveNow).pause()
    process.stdin.setRawMode(false)
    this.#writeSequence(stopMarkingPastes)
    for (const signal of endSignals) process.off(signal, this.#onEndSignal)
    process.off('SIGCONT', this.#onResume)
  }

  #writeSequence(sequence: string): void {
    if (!isDumb()) process.stdout.write(sequence)
  }

  readonly #read = (bytes: Buffer): void => {
    clearTimeout(this.#release)
    this.#handleInput(this.#splitter.split(this.#decoder.write(bytes)))
    if (!this.#splitter.isHolding) return
    this.#release = setTimeout(() => this.#handleInput(this.#splitter.release()), markMs)
  }

  #handleInput(parts: readonly TerminalInput[]): void {
    for (const { kind, text } of parts) {
      if (kind === 'paste') this.#paste(text)
      else {
        if (text.includes(ctrlZ)) this.#stop()
        this.#input.push(text.replaceAll(ctrlZ, ''))
      }
    }
  }

  /** Stops the command until the shell continues it, with the terminal as it was meanwhile. */
  #stop(): void {
    this.#close()
    this.#writeSequence(showCursor)
    // The signal goes to the whole group, as from the terminal: a launcher may run above this
    // process.
    process.kill(0, 'SIGTSTP')
    this.#open()
    // Draws the edited line again.
    process.stdout.emit('resize')
  }

  readonly #take = (text: string | undefined, key: { name?: string; ctrl?: boolean }): void => {
    const { name = '', ctrl = false } = key
    // Keys such as arrows send an escape sequence, which is not text.
    const writes = text !== undefined && !ctrl && !/\p{Cc}/u.test(text)
    const pressed = { name, ctrl, text: writes ? text : '' }
    if (isInterrupt(pressed) && this.#keys.some(isInterrupt)) return this.#leaveNow()
    this.#add(pressed)
  }

  readonly #takePaste = (text: string): void => {
    this.#add({ name: 'paste', ctrl: false, text: pastedLine(text) })
  }

  #add(key: Key): void {
    this.#keys.push(key)
    this.#next?.resolve()
    this.#next = null
  }

  readonly #leaveNow = (): void => {
    this.#close()
    this.#onLeave()
  }

  /** Restores the terminal before the signal ends this process. */
  readonly #onEndSignal = (signal: NodeJS.Signals): void => {
    this.#close()
    this.#writeSequence(showCursor)
    process.kill(process.pid, signal)
  }

  /** Sets the terminal again, because the shell has changed it while this process was stopped. */
  readonly #onResume = (): void => {
    process.stdin.setRawMode(false)
    process.stdin.setRawMode(true)
    this.#writeSequence(markPastes)
  }
}

const endSignals = ['SIGTERM', 'SIGHUP'] as const

/** Whether a key is Ctrl-C or Ctrl-D, by which a person leaves. */
export function isInterrupt({ name, ctrl }: Key): boolean {
  return ctrl && (name === 'c' || name === 'd')
}

import { createInterface, emitKeypressEvents } from 'node:readline'

/** A key as it was pressed: `text` is what it writes, empty for keys that write nothing. */
export interface Key {
  readonly name: string
  readonly text: string
  readonly ctrl: boolean
}

/** The keys of the terminal, one after the other, until a prompt wants whole lines. */
export class Keyboard implements Disposable {
  readonly #pressed: Key[] = []
  #next: PromiseWithResolvers<void> | null = null

  constructor() {
    this.#open()
  }

  /** Resolves when a key was pressed that nobody has taken. Asked again, it is the same promise. */
  async pressed(): Promise<void> {
    if (this.#pressed.length > 0) return
    this.#next ??= Promise.withResolvers()
    await this.#next.promise
  }

  /** The keys that were pressed. */
  take(): readonly Key[] {
    return this.#pressed.splice(0)
  }

  /** Hands the terminal to somebody else, such as a prompt or a pager. */
  async aside<T>(act: () => Promise<T>): Promise<T> {
    this.#close()
    try {
      return await act()
    } finally {
      this.#open()
    }
  }

  /**
   * The line that begins with what was typed already. `null`: Ctrl-C or Ctrl-D, or nothing was
   * written.
   */
  async line(typed: readonly Key[]): Promise<string | null> {
    const end = typed.findIndex(({ name }) => name === 'return' || name === 'enter')
    const text = typed
      .slice(0, end === -1 ? typed.length : end)
      .map((key) => key.text)
      .join('')
    if (end !== -1) {
      process.stdout.write(`> ${text}\n`)
      return text.trim() === '' ? null : text
    }
    return this.aside(() => readLine(text))
  }

  [Symbol.dispose](): void {
    this.#close()
  }

  #open(): void {
    emitKeypressEvents(process.stdin)
    process.stdin.setRawMode(true)
    process.stdin.on('keypress', this.#take).resume()
  }

  #close(): void {
    process.stdin.off('keypress', this.#take).pause()
    process.stdin.setRawMode(false)
  }

  readonly #take = (text: string | undefined, key: { name?: string; ctrl?: boolean }): void => {
    const { name = '', ctrl = false } = key
    // Arrows and such begin with an escape sequence: they write nothing.
    const writes = text !== undefined && !ctrl && !/\p{Cc}/u.test(text)
    this.#pressed.push({ name, ctrl, text: writes ? text : '' })
    this.#next?.resolve()
    this.#next = null
  }
}

async function readLine(begun: string): Promise<string | null> {
  const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: '> ' })
  const read = Promise.withResolvers<string | null>()
  lines.once('line', read.resolve)
  lines.once('SIGINT', () => read.resolve(null))
  lines.once('close', () => read.resolve(null))
  lines.prompt()
  lines.write(begun)
  const line = await read.promise
  lines.close()
  if (line === null) process.stdout.write('\n')
  return line === null || line.trim() === '' ? null : line
}

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { waitUntil } from '../../harness/wait-until.ts'
import type { TestSession } from '../../harness/installation/test-session.ts'

/** Writes what a stream sends into a file as it comes, and ends with the stream. */
const program = `
const { appendFileSync } = require('node:fs')
const { url, headers, file } = JSON.parse(process.argv[1])
fetch(url, { headers }).then(async (response) => {
  if (response.status === 204) return appendFileSync(file, 'data: [DONE]\\n\\n')
  if (!response.ok) throw new Error(String(response.status))
  for await (const chunk of response.body) appendFileSync(file, chunk)
})`

interface StreamPart {
  readonly type: string
  readonly delta?: string
}

/** A client of a run's stream: a process of its own, which can be killed and started again. */
export class StreamReader {
  readonly #url: string
  readonly #session: TestSession
  readonly #file: string
  #process: ChildProcess | null = null

  constructor(url: string, session: TestSession, file: string) {
    this.#url = url
    this.#session = session
    this.#file = file
  }

  /** Reads on behind the last whole event that it has written down. */
  async start(): Promise<void> {
    // A reader that died leaves half an event, which is sent again.
    const text = await this.#text()
    await writeFile(this.#file, text.slice(0, text.lastIndexOf('\n\n') + 2))
    const last = (await this.#events()).findLast(({ id }) => id !== undefined)
    const after = last?.id === undefined ? {} : { 'last-event-id': last.id }
    const headers = { ...this.#session.headers, ...after }
    const words = JSON.stringify({ url: this.#url, headers, file: this.#file })
    this.#process = spawn(process.execPath, ['-e', program, words], { stdio: 'ignore' })
  }

  async kill(): Promise<void> {
    const reader = this.#process
    if (reader === null || reader.exitCode !== null) throw new Error('nobody reads')
    const gone = once(reader, 'exit')
    reader.kill('SIGKILL')
    await gone
  }

  /** The parts so far. */
  async parts(): Promise<StreamPart[]> {
    const events = await this.#events()
    return events
      .filter(({ data }) => data !== '[DONE]')
      .map(({ data }) => {
        const part: StreamPart = JSON.parse(data)
        return part
      })
  }

  /** Reads until the stream says that it is over, started again as often as it is cut off. */
  async untilDone(withinMs: number): Promise<void> {
    await waitUntil(
      async () => {
        if ((await this.#events()).at(-1)?.data === '[DONE]') return true
        const { exitCode, signalCode } = this.#process ?? { exitCode: 0, signalCode: null }
        if (exitCode !== null || signalCode !== null) await this.start()
        return 'the stream goes on'
      },
      { withinMs, everyMs: 100 },
    )
  }

  async #events(): Promise<EventSourceMessage[]> {
    const events: EventSourceMessage[] = []
    const parser = createParser({ onEvent: (event) => void events.push(event) })
    parser.feed(await this.#text())
    return events
  }

  #text(): Promise<string> {
    return readFile(this.#file, 'utf8').catch(() => '')
  }
}

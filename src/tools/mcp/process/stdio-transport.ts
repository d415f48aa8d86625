import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { MCPTransport } from '@ai-sdk/mcp'
import { errorMessage } from '#domain/error-message.ts'
import { firstInside, informationDescriptor } from '#sandbox/bwrap/first-inside.ts'
import { giveNetwork, type OwnNetwork } from '#sandbox/bwrap/own-network.ts'
import { boundedLines } from '../../custom/bounded-lines.ts'
import type { McpConnection } from '../mcp-protocol.ts'

type Message = Parameters<NonNullable<MCPTransport['onmessage']>>[0]

/** The most bytes of a message; a server that exceeds it is ended. */
const maxMessageBytes = 32 * 1024 * 1024
/** The number of invalid lines that are ignored: some servers print a greeting. */
const maxInvalidLines = 100
const maxErrorBytes = 2048
/** How long the end of a program is waited for, once it reads no more. */
const maxEndMs = 2000

/**
 * A standard-input server, started in this process's group, so that it ends with it. The AI SDK's
 * own transport buffers without a bound until there is a newline; this one has bounds.
 */
export class StdioTransport implements MCPTransport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: Message) => void
  readonly #connection: Extract<McpConnection, { type: 'stdio' }>
  readonly #sent: (message: object) => object
  #process: ChildProcessByStdio<Writable, Readable, Readable> | null = null
  #errorTail = Buffer.alloc(0)
  #ended: string | null = null
  #network: OwnNetwork | null = null
  #isClosed = false
  readonly #closed = Promise.withResolvers<void>()

  /** `sent` returns each message as it is sent. */
  constructor(
    connection: Extract<McpConnection, { type: 'stdio' }>,
    sent: (message: object) => object,
  ) {
    this.#connection = connection
    this.#sent = sent
  }

  /**
   * Why the process ended by itself, with its last output on standard error. `null` while it runs,
   * and if this side closed it: then an earlier error says why.
   */
  get ended(): string | null {
    if (this.#ended === null || this.#isClosed) return null
    if (this.#network?.problem != null) return this.#network.problem
    const errorText = this.#errorTail.toString('utf8').trim()
    return errorText === '' ? this.#ended : `${this.#ended}; it said: ${errorText.slice(-500)}`
  }

  async start(): Promise<void> {
    const { command, args, environment, cwd, descriptors, network } = this.#connection
    const pipes = descriptors.length + (network === 'none' ? 0 : 1)
    const more = Array.from({ length: pipes }, () => 'pipe' as const)
    const child = spawn(command, args, {
      cwd,
      env: { ...environment },
      stdio: ['pipe', 'pipe', 'pipe', ...more],
    }) as ChildProcessByStdio<Writable, Readable, Readable>
    for (const [index, text] of descriptors.entries()) {
      const pipe = child.stdio[index + 3] as Writable & Readable
      pipe.on('error', () => undefined).resume()
      // Only read: the other end may close it before anything is written to it.
      if (network === 'none' || index + 3 !== informationDescriptor)
        pipe.end(Buffer.from(text, 'base64'))
    }
    this.#process = child
    if (network !== 'none') {
      const information = (child.stdio as readonly unknown[])[informationDescriptor] as Readable
      this.#network = giveNetwork(child, firstInside(information), network)
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    child.once('spawn', resolve)
    child.once('error', (error) => {
      this.#end(`it could not be started (${error.message})`)
      reject(error)
    })
    child.once('exit', (code, signal) =>
      this.#end(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`),
    )
    child.once('close', () => this.#closed.resolve())
    child.stdin.on('error', () => undefined)
    child.stderr.on('data', (chunk: Buffer) => {
      this.#errorTail = Buffer.concat([this.#errorTail, chunk]).subarray(-maxErrorBytes)
    })
    void this.#read(child.stdout)
    return promise
  }

  async #read(stdout: Readable): Promise<void> {
    let nonsense = 0
    try {
      for await (const line of boundedLines(stdout, maxMessageBytes)) {
        if (line.trim() === '' || this.#take(line)) continue
        nonsense += 1
        if (nonsense > maxInvalidLines)
          throw new Error(`it wrote ${nonsense} lines that are not messages`)
      }
    } catch (error) {
      this.#end(errorMessage(error))
      this.#process?.kill('SIGKILL')
    }
  }

  #take(line: string): boolean {
    try {
      const message: unknown = JSON.parse(line)
      if (typeof message !== 'object' || message === null || !('jsonrpc' in message)) return false
      this.onmessage?.(message as Message)
      return true
    } catch {
      return false
    }
  }

  #end(why: string): void {
    if (this.#ended !== null) return
    this.#ended = why
    this.#network?.close()
    this.onclose?.()
  }

  async send(message: Message): Promise<void> {
    const stdin = this.#process?.stdin
    if (stdin === undefined || this.#ended !== null)
      throw new Error(this.ended ?? this.#ended ?? 'it was not started')
    const { promise, resolve } = Promise.withResolvers<Error | null | undefined>()
    stdin.write(`${JSON.stringify(this.#sent(message))}\n`, resolve)
    const error = await promise
    if (error == null) return
    // The pipe breaks before the exit is reported, whose message says more than that of the pipe.
    await Promise.race([this.#closed.promise, setTimeout(maxEndMs, null, { ref: false })])
    throw new Error(this.ended ?? error.message, { cause: error })
  }

  async close(): Promise<void> {
    this.#isClosed = this.#ended === null
    this.#end('it was closed')
    this.#process?.kill('SIGTERM')
  }
}

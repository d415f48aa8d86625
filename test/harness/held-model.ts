import { closeServer, listenHere } from './listen.ts'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface Question {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
  readonly tools?: readonly unknown[]
}

/** What a test reads in a request to the model. */
export interface ModelStepInput {
  readonly system: string
  /** what people and compactions say, in order */
  readonly users: string
  /** from 1, of those that the model still sees */
  readonly turn: number
  readonly hasTools: boolean
}

export interface HeldAnswer {
  readonly text: string
  readonly calls?: readonly { readonly tool: string; readonly input: object }[]
  /** the place at which the answer stops half-way until `release`, the first time it comes there */
  readonly hold?: string
}

/** A provider that streams the chat-completions format, and stops in the middle of an answer. */
export class HeldModel implements AsyncDisposable {
  readonly baseUrl: string
  readonly #server: ReturnType<typeof createServer>
  readonly #reached = new Set<string>()
  readonly #gates = new Map<string, PromiseWithResolvers<void>>()

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server
    this.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  }

  /** Starts on a free port. */
  static async start(answerTo: (question: ModelStepInput) => HeldAnswer): Promise<HeldModel> {
    const server = createServer((request, response) => {
      void text(request).then(async (body) => {
        const { messages, tools } = JSON.parse(body) as Question
        const of = (role: string) => messages.filter((message) => message.role === role)
        const answer = answerTo({
          system: JSON.stringify(of('system')),
          users: JSON.stringify(of('user')),
          turn: of('assistant').length + 1,
          hasTools: (tools ?? []).length > 0,
        })
        await model.#stream(response, answer, Math.round(body.length / 4))
      })
    })
    await listenHere(server)
    const model: HeldModel = new HeldModel(server)
    return model
  }

  /** Whether an answer is held at a place. */
  holds(place: string): boolean {
    return this.#reached.has(place)
  }

  /** Continues the held answers at all places. */
  release(): void {
    for (const gate of this.#gates.values()) gate.resolve()
  }

  async #stream(response: ServerResponse, answer: HeldAnswer, tokens: number): Promise<void> {
    const { calls = [], hold, text: words } = answer
    const send = (choice: object, more: object = {}): void => {
      if (response.destroyed) return
      const chunk = { id: 'c', object: 'chat.completion.chunk', created: 0, model: 'held' }
      const data = { ...chunk, choices: [{ index: 0, ...choice }], ...more }
      response.write(`data: ${JSON.stringify(data)}\n\n`)
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const half = Math.ceil(words.length / 2)
    send({ delta: { role: 'assistant', content: words.slice(0, half) } })
    if (hold !== undefined && !this.#gates.has(hold)) {
      const gate = Promise.withResolvers<void>()
      this.#gates.set(hold, gate)
      this.#reached.add(hold)
      await gate.promise
    }
    send({ delta: { content: words.slice(half) } })
    for (const [index, { tool, input }] of calls.entries()) {
      const call = { name: tool, arguments: JSON.stringify(input) }
      const id = `call_${index}_${tokens}`
      send({ delta: { tool_calls: [{ index, id, type: 'function', function: call }] } })
    }
    const usage = { prompt_tokens: tokens, completion_tokens: 5, total_tokens: tokens + 5 }
    send({ delta: {}, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }, { usage })
    response.end('data: [DONE]\n\n')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release()
    await closeServer(this.#server)
  }
}

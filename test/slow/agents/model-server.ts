import { closeServer, listenHere } from '../../harness/listen.ts'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { streamOf } from '#test/harness/fixtures/models/provider-streams.ts'

/**
 * What an agent's model does, step by step: the call of a tool, which may follow from what it has
 * seen. After the last it says "Done.".
 */
export type ModelCalls = readonly {
  readonly name: string
  readonly input: object | ((conversation: string) => object)
}[]

interface Message {
  readonly role?: string
  readonly content?: string | readonly { readonly type: string }[]
}
type Messages = readonly Message[]

/** What is said so far, by each API's own name for it. */
interface ModelBody {
  readonly tools?: readonly unknown[]
  readonly messages?: Messages
  readonly input?: Messages
  readonly contents?: Messages
}

/** Who speaks for the model: Google calls it by its own name. */
const modelRoles: readonly (string | undefined)[] = ['assistant', 'model']

/** The model's answers in a message: an agent may send several of them as one, with all calls. */
function stepsIn({ content, role }: Message): number {
  if (!modelRoles.includes(role)) return 0
  const blocks = typeof content === 'string' ? [] : (content ?? [])
  return Math.max(1, blocks.filter(({ type }) => type === 'tool_use').length)
}

/** The APIs of Anthropic, OpenAI and Google on this machine: a model that follows a script. */
export class ModelServer implements AsyncDisposable {
  calls: ModelCalls = []
  /** the last messages of an agent, as JSON */
  conversation = ''
  readonly #server = createServer((request, response) => {
    void text(request).then((body) => {
      const { contents, input: items, messages, tools = [] } = JSON.parse(body || '{}') as ModelBody
      const before = messages ?? items ?? contents ?? []
      const step = before.map(stepsIn).reduce((sum, steps) => sum + steps, 0)
      // Without tools an agent asks for something beside its work, such as a title.
      const call = tools.length === 0 ? undefined : this.calls[step]
      if (tools.length > 0) this.conversation = JSON.stringify(before)
      const input = typeof call?.input === 'function' ? call.input(this.conversation) : call?.input
      const id = `toolu_${randomUUID().replaceAll('-', '')}`
      const [path = ''] = (request.url ?? '').split('?')
      const pieces = streamOf(path, {
        text: [call === undefined ? 'Done.' : 'I will.'],
        call: call === undefined ? null : { id, name: call.name, args: JSON.stringify(input) },
      })
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const piece of pieces) response.write(piece)
      response.end()
    })
  })

  static async start(): Promise<ModelServer> {
    const model = new ModelServer()
    await listenHere(model.#server)
    return model
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await closeServer(this.#server)
  }
}

import { Readable, type Writable } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { whyAmbiguous } from '#domain/json/ambiguous-json.ts'
import { errorAnswer, messagesOf } from './message.ts'

/**
 * The transport of a server to the agent that started this process. Answers to lines that are no
 * message, or a call that two parsers could read differently, go to `output` too.
 */
export function messageTransport(input: Readable, output: Writable): StdioServerTransport {
  const lines = async function* () {
    const refuse = (answer: object): void => void output.write(`${JSON.stringify(answer)}\n`)
    for await (const { line, message } of messagesOf(input, refuse)) {
      const why = message['method'] === 'tools/call' ? whyAmbiguous(line) : null
      if (why === null) yield `${line}\n`
      else refuse(errorAnswer(message['id'], [-32600, why]))
    }
  }
  // `messagesOf` bounds each message. The package's own bound is lower, and closes the connection.
  const maxBufferSize = Number.POSITIVE_INFINITY
  return new StdioServerTransport(Readable.from(lines(), { objectMode: false }), output, {
    maxBufferSize,
  })
}

import { Readable, type Writable } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { messagesOf } from './message.ts'

/**
 * The transport of a server to the agent that started this process. Answers to lines that are no
 * message go to `output` too.
 */
export function messageTransport(input: Readable, output: Writable): StdioServerTransport {
  const lines = async function* () {
    const messages = messagesOf(input, (answer) => output.write(`${JSON.stringify(answer)}\n`))
    for await (const { line } of messages) yield `${line}\n`
  }
  // `messagesOf` bounds each message. The package's own bound is lower, and closes the connection.
  const maxBufferSize = Number.POSITIVE_INFINITY
  return new StdioServerTransport(Readable.from(lines(), { objectMode: false }), output, {
    maxBufferSize,
  })
}

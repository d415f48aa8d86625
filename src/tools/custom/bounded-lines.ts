import type { Readable } from 'node:stream'

/** The lines of a stream, without their newlines. Throws when one is longer than `maxBytes`. */
export async function* boundedLines(stream: Readable, maxBytes: number): AsyncGenerator<string> {
  let parts: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, end))
      yield Buffer.concat(parts).toString('utf8')
      parts = []
      size = 0
      from = end + 1
    }
    const rest = chunk.subarray(from)
    parts.push(rest)
    size += rest.length
    if (size > maxBytes) throw new RangeError(`A message has more than ${maxBytes} bytes`)
  }
}

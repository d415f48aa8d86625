import { createServer, type ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { closeServer, listenHere } from '#test/harness/listen.ts'
import { resumingFetch } from './resuming-fetch.ts'

async function writeAll(response: ServerResponse, parts: readonly string[]): Promise<void> {
  for (const part of parts) {
    await new Promise<unknown>((resolve) => response.write(part, resolve))
  }
  response.end()
}

/** What a call reads from a server that streams these parts, each in a chunk of its own. */
async function answerOf(parts: readonly string[]): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    void writeAll(response, parts)
  })
  const address = `http://127.0.0.1:${await listenHere(server)}/`
  try {
    const response = await resumingFetch(address, { method: 'POST', body: '{"id":1}' })
    return await response.text()
  } finally {
    await closeServer(server)
  }
}

const answer = '"id":1,"result":{}'

test.each([
  ['data: {', answer, '}\r', '\n\r', '\n'],
  ['data: {', '\n', `data: ${answer}}\n`, '\n'],
])('an answer is found wherever its chunks end: %j', async (...parts) => {
  expect(await answerOf(parts)).toBe(parts.join(''))
  await expect(answerOf(parts.slice(0, -1))).rejects.toThrow('broke off')
})

// Rules: security.md 27
test('an answer of many megabytes in one line is read once', { timeout: 15_000 }, async () => {
  // A line that was split again with each of these chunks took half a minute or more.
  const part = 'x'.repeat(16 * 1024)
  const parts = [`data: {"text":"`, ...Array<string>(3584).fill(part), `",${answer}}\n\n`]
  expect((await answerOf(parts)).length).toBe(parts.join('').length)
})

import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { closeServer, listenHere } from '#test/harness/listen.ts'
import { startSession } from './sign-in.ts'

// Rules: security.md 38
test.each([
  { link: 'a one-time link' },
  { email: 'ada@example.com', token: 'the development token' },
])('%o is sent to no address that the service redirects to', async (credentials) => {
  let received = ''
  const other = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      received += chunk.toString()
    })
    request.on('end', () => response.end('{}'))
  })
  const location = `http://127.0.0.1:${await listenHere(other)}`
  const service = createServer((_request, response) => response.writeHead(307, { location }).end())
  const url = `http://127.0.0.1:${await listenHere(service)}`
  await expect(startSession(url, credentials)).rejects.toThrow(`redirects to ${location}.`)
  expect(received).toBe('')
  await closeServer(service)
  await closeServer(other)
})

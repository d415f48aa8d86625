import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { closeServer, listenHere } from '#test/harness/listen.ts'
import { startSession, withKey } from './sign-in.ts'

const credentials = {
  'a one-time link': (url: string) => startSession(url, { link: 'a one-time link' }),
  'the development token': (url: string) =>
    startSession(url, { email: 'ada@example.com', token: 'the development token' }),
  'an API key': (url: string) => withKey(url, 'an API key').call('getMe'),
}

// Rules: security.md 38
test.each(Object.entries(credentials))(
  '%s is sent to no address that the service redirects to, and the error names that address',
  async (_name, call) => {
    let received = 0
    const other = createServer((_request, response) => {
      received += 1
      response.end('{}')
    })
    const location = `http://127.0.0.1:${await listenHere(other)}`
    const service = createServer((_request, response) =>
      response.writeHead(307, { location }).end(),
    )
    const url = `http://127.0.0.1:${await listenHere(service)}`
    await expect(call(url)).rejects.toThrow(`${url} redirects to ${location}.`)
    expect(received).toBe(0)
    await closeServer(service)
    await closeServer(other)
    await expect(call(url)).rejects.toThrow(`No service answers at ${url}. Is it running?`)
  },
)

import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { softwarePasskey } from '../../harness/fixtures/keys/software-passkey.ts'
import { createTestApi, developmentToken } from '../test-api.ts'

const api = disposeAfterTests(await createTestApi())
const olga = await api.signIn(api.people.olga)

/** Judged by a signature or a file of the host, whoever sends them. */
const withoutSession = ['askForDeployment', 'postSlackInteraction', 'startFromTrigger']

/** What a sign-in is judged by only after it could be read. */
const bodies: Readonly<Record<string, object>> = {
  signInForDevelopment: { email: 'ada@example.com', token: developmentToken },
  createHostLink: { email: 'ada@example.com', token: 'x'.repeat(43) },
  signInWithLink: { token: 'x'.repeat(43) },
  signInWithPasskey: { response: softwarePasskey().get({ challenge: 'AAAA' }) },
}

interface Operation {
  readonly operationId: string
}

async function changingOperations(): Promise<{ id: string; method: string; path: string }[]> {
  const { body } = await api.ask('/openapi.json')
  const paths = body.paths as Record<string, Record<string, Operation>>
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId: id }]) =>
      method === 'get' ? [] : [{ id, method: method.toUpperCase(), path }],
    ),
  )
}

// Rules: security.md 39
test('a page of another site changes nothing with any operation, though it has the cookie, the token and the proof', async () => {
  const operations = await changingOperations()
  expect(operations.length).toBeGreaterThan(50)
  const foreign = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost.evil.example:4400' },
    { 'sec-fetch-site': 'same-site' },
  ]
  for (const { id, method, path } of operations) {
    const address = path.replaceAll(/\{\w+\}/g, uuidv7())
    for (const headers of foreign) {
      const reply = await api.ask(address, {
        method,
        headers: { ...olga.headers, 'content-type': 'application/json', ...headers },
        body: bodies[id] ?? {},
      })
      const expected = withoutSession.includes(id) ? [401, 404] : [403, 404]
      const where = `${id} ${JSON.stringify(headers)}: ${reply.status} ${reply.text}`
      expect(expected, where).toContain(reply.status)
      if (reply.status === 403)
        expect(['csrf_failed', 'forbidden'], where).toContain(reply.body.code)
    }
  }
  expect((await olga.get('/v1/me')).status).toBe(200)
}, 120_000)

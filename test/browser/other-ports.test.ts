import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeServer } from '../harness/listen.ts'
import { ask, openDashboard, signInHere, type Dashboard } from './open-dashboard.ts'

let dashboard: Dashboard
let hostile: Hostile

beforeAll(async () => {
  dashboard = await openDashboard()
  hostile = await openHostile()
}, 240_000)
afterAll(async () => {
  await hostile?.[Symbol.asyncDispose]()
  await dashboard?.[Symbol.asyncDispose]()
}, 240_000)

/**
 * A server on another port of localhost, as an agent may have written one. It keeps every cookie
 * that it is sent.
 */
interface Hostile extends AsyncDisposable {
  readonly url: string
  readonly cookies: string[]
}

async function openHostile(): Promise<Hostile> {
  const cookies: string[] = []
  const server: Server = createServer((request: IncomingMessage, response) => {
    cookies.push(request.headers.cookie ?? '')
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>a preview</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    cookies,
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

// Rules: security.md 39
test('a page and a server on another port of localhost receive the cookie, and can neither read nor decide with it', async () => {
  const { requestIds } = await ask(
    dashboard.desk,
    [{ tool: 'write_file', input: { path: 'notes/a.md', content: 'a\n' } }],
    'I write it.',
  )
  const [id = ''] = requestIds
  const page = await dashboard.openSignedOut('/')
  await signInHere(page, 'Grace')
  const { digest, revision, state } = await detailOf(page, id)
  expect(state).toBe('pending')

  const other = await page.context().newPage()
  await other.goto(hostile.url)
  const cookie = hostile.cookies.find((one) => one.includes('__Host-countersign=')) ?? ''
  expect(cookie).toMatch(/__Host-countersign=[\w-]{43}/)

  const paths = ['/v1/me', `/v1/requests/${id}`, `/v1/requests/${id}/content`, '/v1/events']
  // From the page: whatever the browser lets it send, with and without asking first.
  const fromPage = await other.evaluate(
    async ({ url, reads, decide, body }) => {
      const outcomes: string[] = []
      const attempt = async (path: string, init: RequestInit): Promise<void> => {
        try {
          const answer = await fetch(url + path, { credentials: 'include', ...init })
          outcomes.push(`${answer.type} ${answer.status} ${await answer.text()}`)
        } catch {
          outcomes.push('refused')
        }
      }
      for (const path of reads) {
        await attempt(path, {})
        await attempt(path, { mode: 'no-cors' })
        await attempt(path, { headers: { 'x-countersign-session': 'A'.repeat(43) } })
      }
      const json = { 'content-type': 'application/json', 'x-csrf-token': 'A'.repeat(43) }
      await attempt(decide, { method: 'POST', body, headers: json })
      await attempt(decide, { method: 'POST', body, mode: 'no-cors' })
      return outcomes
    },
    {
      url: dashboard.url,
      reads: paths,
      decide: `/v1/requests/${id}/decisions`,
      body: JSON.stringify({ decision: 'approve', digest, revision }),
    },
  )
  expect(fromPage.every((one) => one === 'refused' || one.startsWith('opaque 0 '))).toBe(true)

  // From the server: any header at all.
  const forged = {
    cookie,
    origin: dashboard.url,
    'sec-fetch-site': 'same-origin',
    'x-csrf-token': 'A'.repeat(43),
    'content-type': 'application/json',
  }
  for (const headers of [{ cookie }, forged, { ...forged, 'sec-fetch-dest': 'empty' }]) {
    for (const path of paths) {
      const answer = await fetch(dashboard.url + path, { headers })
      const text = await answer.text()
      expect([answer.status, JSON.parse(text).code]).toEqual([401, 'session_unproven'])
    }
    const answer = await fetch(`${dashboard.url}/v1/requests/${id}/decisions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ decision: 'approve', digest, revision }),
    })
    expect(answer.status).toBe(401)
  }

  // A page of the other port that overwrites the cookie does not sign in here, and the person can
  // continue.
  expect((await detailOf(page, id)).state).toBe('pending')
  await page.reload()
  await page.getByRole('button', { name: 'Signed in as Grace' }).waitFor()
  await page.context().close()
})

test('a person who clears the storage of the site has to sign in again, and the page says why', async () => {
  const page = await dashboard.open('Grace', '/')
  await page.getByRole('button', { name: 'Signed in as Grace' }).waitFor()
  const second = await page.context().newPage()
  await second.goto(dashboard.url)
  await second.getByRole('button', { name: 'Signed in as Grace' }).waitFor()
  await page.evaluate(() => localStorage.clear())
  await page.reload()
  await page.getByText('no longer has the key that proves your session').waitFor()
  await signInHere(page, 'Grace')
  // Every tab of the origin has the new one.
  await second.reload()
  await second.getByRole('button', { name: 'Signed in as Grace' }).waitFor()
  await page.context().close()
})

async function detailOf(page: Page, id: string) {
  return page.evaluate(async (requestId) => {
    const proof = localStorage.getItem('countersign-session') ?? ''
    const headers = { 'x-countersign-session': proof }
    const answer = await fetch(`/v1/requests/${requestId}`, { headers })
    return (await answer.json()) as { digest: string; revision: number; state: string }
  }, id)
}

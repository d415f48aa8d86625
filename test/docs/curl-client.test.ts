import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createProgram } from '../api/program.ts'
import { decideAsShown } from '../api/requests/as-shown.ts'
import { createTestApi, type Client, type Reply } from '../api/test-api.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { closeServer, listenHere } from '../harness/listen.ts'
import { newFolder } from '../harness/new-folder.ts'
import { openFeed } from '../harness/open-feed.ts'
import { createTestDatabase } from '../harness/postgres.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { readDocument } from './documents.ts'

const hasPrograms = ['curl', 'jq'].every((name) => !spawnSync(name, ['--version']).error)

const database = await createTestDatabase()
const live = openFeed(database)
const api = disposeAfterTests(await createTestApi({ database, events: live.feed }))
disposeAfterTests(live)
const grace = await api.signIn(api.people.grace)

/** The request that waits, as Grace sees it. */
async function pendingRequest(): Promise<Reply['body']> {
  let id: string | undefined
  await waitUntil(async () => {
    id = (await grace.get('/v1/requests?state=pending')).body.items[0]?.id
    return id !== undefined || 'nothing waits'
  })
  return (await grace.get(`/v1/requests/${id}`)).body
}

/** What becomes of a report: the service answers, but the answer is lost, or it is busy. */
type Fate = 'answer lost' | 'busy'

/** A way to the service on which the first reports of an outcome have these fates. */
async function wayWith(fates: readonly Fate[]): Promise<string> {
  const left = [...fates]
  const server = createServer((request, response) => {
    void (async () => {
      const { headers, method = 'GET', url = '/' } = request
      const body = await buffer(request)
      const fate = url.endsWith('/outcome') ? left.shift() : undefined
      if (fate === 'busy') return response.writeHead(503).end('{}')
      const { authorization = '', 'content-type': type = '' } = headers
      const answer = await fetch(new URL(url, api.url), {
        method,
        headers: { authorization, 'content-type': type },
        ...(body.length === 0 ? {} : { body }),
      })
      const text = await answer.text()
      if (fate === 'answer lost') return response.destroy()
      return response.writeHead(answer.status).end(text)
    })().catch(() => response.destroy())
  })
  onTestFinished(() => closeServer(server))
  return `http://127.0.0.1:${await listenHere(server)}`
}

/** Runs the script of the page in a folder of its own, with a key of this person. */
async function runScript(owner: Client, fates: readonly Fate[]) {
  const { fences } = await readDocument('docs/other-programs.md')
  const script = fences.find(({ text }) => text.includes('./deploy.sh'))?.text ?? ''
  const folder = newFolder('countersign-curl-')
  await writeFile(join(folder, 'deploy.sh'), '#!/bin/sh\necho ran >> ran.txt\n', { mode: 0o755 })
  const { key } = await createProgram(api, owner)
  const env = {
    PATH: process.env['PATH'],
    COUNTERSIGN_API_KEY: key,
    COUNTERSIGN_URL: await wayWith(fates),
  }
  const running = promisify(execFile)('sh', ['-c', script], { cwd: folder, env })
  return { running, deployed: join(folder, 'ran.txt') }
}

test.skipIf(!hasPrograms)(
  'the script with curl deploys once after an approval, and reports the outcome until the service has answered',
  async () => {
    const { running, deployed } = await runScript(await api.signIn(api.people.ada), [
      'answer lost',
      'busy',
    ])
    const request = await pendingRequest()
    expect((await decideAsShown(grace, request, 'approve')).status).toBe(200)
    const { stdout } = await running
    expect(stdout).toContain('succeeded')
    expect(await readFile(deployed, 'utf8')).toBe('ran\n')
    const { external } = (await grace.get(`/v1/requests/${request.id}`)).body
    expect(external.outcome).toMatchObject({ state: 'succeeded' })
  },
)

test.skipIf(!hasPrograms)('the script with curl deploys nothing after a denial', async () => {
  const { running, deployed } = await runScript(await api.signIn(api.people.olga), [])
  const end = running.then(
    () => 'succeeded',
    () => 'failed',
  )
  expect((await decideAsShown(grace, await pendingRequest(), 'deny')).status).toBe(200)
  expect(await end).toBe('failed')
  expect(existsSync(deployed)).toBe(false)
})

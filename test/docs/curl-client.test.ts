import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createProgram } from '../api/program.ts'
import { decideAsShown } from '../api/requests/as-shown.ts'
import { openBreakableWay, type Fate } from '../api/requests/breakable-way.ts'
import { createTestApi, type Client, type Reply } from '../api/test-api.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { newFolder } from '../harness/new-folder.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { readDocument } from './documents.ts'

const hasPrograms = ['curl', 'jq'].every((name) => !spawnSync(name, ['--version']).error)

const api = disposeAfterTests(await createTestApi({ events: 'live' }))
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

/**
 * Runs the script of the page in a folder of its own, with a key of this person. Its first reports
 * of an outcome have these fates.
 */
async function runScript(owner: Client, fates: readonly Fate[]) {
  const { fences } = await readDocument('docs/other-programs.md')
  const script = fences.find(({ text }) => text.includes('./deploy.sh'))?.text ?? ''
  const folder = newFolder('countersign-curl-')
  await writeFile(join(folder, 'deploy.sh'), '#!/bin/sh\necho ran >> ran.txt\n', { mode: 0o755 })
  const { key } = await createProgram(api, owner)
  const way = await openBreakableWay(api.url)
  onTestFinished(() => way[Symbol.asyncDispose]())
  way.fail('/outcome', fates)
  const env = {
    PATH: process.env['PATH'],
    COUNTERSIGN_API_KEY: key,
    COUNTERSIGN_URL: way.url,
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

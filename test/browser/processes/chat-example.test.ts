import { randomUUID } from 'node:crypto'
import { cp, readFile, symlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKey } from '#services/access/api-keys/create-api-key.ts'
import { closeServer, listenHere } from '../../harness/listen.ts'
import { chatHandler } from '../../../examples/chat/server/chat-handler.ts'
import { readPages } from '../../../examples/chat/server/pages.ts'
import { slowModel } from '../../harness/fixtures/models/slow-model.ts'
import { newFolder } from '../../harness/new-folder.ts'
import { openDashboard, type Dashboard } from '../open-dashboard.ts'

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

let dashboard: Dashboard
let key = ''
let address = ''
const server = createServer()
beforeAll(async () => {
  dashboard = await openDashboard()
  const { desk } = dashboard
  const made = await createApiKey(desk.api, desk.people.ada.caller, {
    name: 'chat',
    scopes: ['runs:read', 'runs:write'],
    expiresAt: null,
  })
  key = made.key
  // As somebody has it who copied the folder: it reads no file beside it.
  const root = newFolder('countersign-chat-')
  const checkout = join(import.meta.dirname, '..', '..', '..')
  await cp(join(checkout, 'examples', 'chat'), root, { recursive: true })
  await symlink(join(checkout, 'node_modules'), join(root, 'node_modules'))
  await build({ root, configFile: false, logLevel: 'error' })
  const pages = await readPages(pathToFileURL(`${root}/dist/`))
  server.on('request', chatHandler({ url: dashboard.url, apiKey: key, worker: 'scribe', pages }))
  address = `http://127.0.0.1:${await listenHere(server)}`
})
afterAll(async () => {
  await closeServer(server)
  await dashboard[Symbol.asyncDispose]()
})

// Rules: product.md 28
test('a useChat page starts a run, streams its text, shows for whom a call waits and its result, and posts messages', async () => {
  const { desk } = dashboard
  const page = await dashboard.openEmpty()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url(), JSON.stringify(request.headers())))
  await page.goto(address)
  const path = `notes/${randomUUID()}.md`
  const input = { path, content: 'A note <b>\n' }
  const model = slowModel([{ id: 'call_1', tool: 'write_file', input }])
  desk.say(model.step)
  await page.getByRole('textbox', { name: 'Task' }).fill('Write a note')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('heading', { name: /^Run \d+: Write a note$/ }).waitFor()
  const runId = new URL(page.url()).searchParams.get('run') ?? ''
  const turn = desk.turn(runId, 1)
  await model.say('I write <i>')
  const agent = page.getByRole('region', { name: 'assistant' }).first()
  await agent.getByText('I write <i>').waitFor()
  await model.say('it now.')
  await agent.getByText('I write <i>it now.').waitFor()
  model.end()
  const outcome = await turn
  await agent.getByText(/^Waits for Grace or Linus #\d+\.$/).waitFor()
  const [call] = await desk.calls(runId, 1)
  await desk.decide(desk.people.grace, call?.requestId ?? '')
  await desk.perform(outcome)
  await agent.getByText(`"path": "${path}"`).last().waitFor()
  await agent.getByText('"created": true').waitFor()
  await agent.getByText(/^Waits for/).waitFor({ state: 'detached' })
  // A message while the agent is at work is read before its next turn.
  await page.getByRole('textbox', { name: 'Message' }).fill('And be brief')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('region', { name: 'queued' }).getByText('And be brief').waitFor()
  desk.say({ text: 'It is written.' })
  await desk.turn(runId, 2)
  await page.getByText('It is written.').waitFor()
  await page.getByText('It is your turn.').waitFor()
  desk.say({ text: 'Seven words.' })
  await page.getByRole('textbox', { name: 'Message' }).fill('How long is it?')
  // The message is there, and the stream of the turn to come is open.
  const opened = page.waitForResponse(
    (answer) => answer.request().method() === 'POST' && answer.url().includes('/api/chat'),
  )
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('The agent is at work.').waitFor()
  await opened
  await desk.turn(runId, 3)
  await page.getByText('Seven words.').waitFor()
  // Opened again, the page has the whole conversation, each turn once.
  await page.reload()
  await page.getByText('Seven words.').waitFor()
  for (const sentence of ['Write a note', 'And be brief', 'It is written.', 'How long is it?']) {
    expect(await page.getByText(sentence, { exact: true }).count(), sentence).toBe(1)
  }
  expect(addresses.join('\n')).not.toContain(key)
  expect(complaints).toEqual([])
})

// Rules: product.md 8
test('a page that is opened while a call waits shows the turn once, and that the call was denied', async () => {
  const { desk } = dashboard
  const runId = await desk.start({ input: 'Delete it', conversation: true })
  desk.say(
    { text: 'First I look.', calls: [{ tool: 'list_files', input: { path: 'notes' } }] },
    {
      text: 'Now I write.',
      calls: [{ tool: 'write_file', input: { path: 'notes/no.md', content: 'No\n' } }],
    },
  )
  await desk.perform(await desk.turn(runId, 1))
  const outcome = await desk.turn(runId, 2)
  const page = await dashboard.openEmpty()
  await page.goto(`${address}/?run=${runId}`)
  await page.getByText(/^Waits for Grace or Linus/).waitFor()
  const [call] = await desk.calls(runId, 2)
  await desk.decide(desk.people.grace, call?.requestId ?? '', { decision: 'deny', reason: 'no' })
  await desk.perform(outcome)
  await page.getByText('Denied.').waitFor()
  expect(await page.getByText('First I look.').count()).toBe(1)
  expect(await page.getByText('Now I write.').count()).toBe(1)
})

test('the example names the versions that these tests run with', async () => {
  const read = async (path: string): Promise<Manifest> =>
    JSON.parse(await readFile(join(import.meta.dirname, '..', '..', '..', path), 'utf8'))
  const [own, example] = [await read('package.json'), await read('examples/chat/package.json')]
  const versions = { ...own.dependencies, ...own.devDependencies }
  for (const [name, version] of Object.entries({
    ...example.dependencies,
    ...example.devDependencies,
  })) {
    expect(versions[name], name).toBe(version)
  }
  expect(own.dependencies['@ai-sdk/react']).toBeUndefined()
})

test('the server passes on nothing but what the page needs, and nothing that another site posts', async () => {
  const run = await dashboard.desk.start()
  const status = async (path: string, init: RequestInit = {}) =>
    (await fetch(address + path, init)).status
  expect(await status(`/api/runs/${run}`)).toBe(200)
  for (const path of [
    '/api/runs',
    `/api/runs/${run}/grants`,
    '/api/runs/..%2fme',
    '/v1/me',
    '/../package.json',
  ]) {
    expect(await status(path), path).toBe(404)
  }
  const body = JSON.stringify({ text: 'Do it' })
  const headers = { 'content-type': 'text/plain' }
  expect(await status('/api/runs', { method: 'POST', headers, body })).toBe(415)
})

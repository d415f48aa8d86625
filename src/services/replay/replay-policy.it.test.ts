import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import type { Policy } from '#policy/policy.ts'
import { replayPolicy } from './replay-policy.ts'

const config = `${deskConfig}  activatePolicy: [operators]\n`

const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({ 'countersign.yaml': config })
await desk.write('notes/old.md', 'old\n')
desk.say({
  text: 'I work.',
  calls: [
    { tool: 'read_file', input: { path: 'notes/old.md' } },
    { tool: 'write_file', input: { path: 'notes/new.md', content: 'new\n' } },
    { tool: 'delete_file', input: { path: 'notes/old.md' } },
    { tool: 'write_file', input: { path: 'scratch/x.txt', content: 'x' } },
    { tool: 'write_file', input: { path: 'elsewhere.txt', content: 'x' } },
  ],
})
await desk.startTurn()

async function replay(more: { since?: Date; cursor?: string; limit?: number } = {}) {
  return replayPolicy(desk.api, desk.people.olga.caller, { projectDir: desk.root, ...more })
}

async function differing() {
  const { items } = await replay()
  return items.map(({ tool, before, after }) => [tool, before?.verdict, after.verdict])
}

/** What the folder holds, without activating it. */
async function write(worker: string, countersign = config): Promise<void> {
  await desk.write('workers/scribe.md', worker)
  await desk.write('countersign.yaml', countersign)
}

test('a version with only cosmetic changes changes no verdict', async () => {
  await write(deskWorker.replace('You write notes.', 'You write long notes.'))
  expect(await replay()).toMatchObject({ judged: 5, items: [], nextCursor: null })
})

test('each verdict that a changed policy would change is listed, with both rules, and no other one', async () => {
  const { digest } = await desk.api.policies.inForce()
  await write(
    deskWorker
      .replace('write: ask, delete: blocked', 'write: preApproved, delete: ask')
      .replace('approval: { write: preApproved, delete: preApproved }', 'approval: { write: ask }'),
  )
  expect(await differing()).toEqual([
    ['write_file', 'preApproved', 'ask'],
    ['delete_file', 'blocked', 'ask'],
    ['write_file', 'ask', 'preApproved'],
  ])
  const { items } = await replay()
  expect(items[1]).toMatchObject({
    worker: 'scribe',
    recorded: 'blocked',
    before: { reason: 'blocked by policy: zone notes: delete is blocked', asks: null },
    after: { reason: 'zone notes: delete asks', asks: 'platform: 1 of platform, risk medium' },
  })
  expect((await desk.api.policies.inForce()).digest).toBe(digest)
})

test('a change of the people asked, of an overlay, or of a removed worker counts too', async () => {
  const routing = 'routing: [{ when: { path: "notes/**" }, quorum: { count: 2 } }]\n'
  await write(deskWorker, config.replace('rights:', `${routing}rights:`))
  expect((await replay()).items).toMatchObject([
    {
      tool: 'write_file',
      before: { asks: 'platform: 1 of platform, risk medium' },
      after: { verdict: 'ask', asks: 'platform: 2 of platform, risk medium' },
    },
  ])
  const overlay = 'overlays: [{ when: { tool: read_file }, approval: ask }]\n'
  await write(deskWorker, config.replace('rights:', `${overlay}rights:`))
  expect(await differing()).toEqual([['read_file', 'preApproved', 'ask']])
  await rm(join(desk.root, 'workers/scribe.md'))
  expect((await differing()).map(([, , after]) => after)).toEqual(Array(4).fill('blocked'))
})

test('a file that was removed since is judged as existing for its call', async () => {
  await write(deskWorker)
  await rm(join(desk.root, 'notes/old.md'))
  expect((await replay()).items).toEqual([])
  await write(deskWorker.replace('read: preApproved, write: ask', 'read: ask, write: ask'))
  expect(await differing()).toEqual([['read_file', 'preApproved', 'ask']])
})

test('calls are judged page by page, newest first, from a given time on', async () => {
  await write(deskWorker.replace('write: ask', 'write: blocked'))
  const judged: string[] = []
  let cursor: string | undefined
  let pages = 0
  do {
    const page = await replay({ limit: 2, ...(cursor === undefined ? {} : { cursor }) })
    judged.push(...page.items.map((item) => item.callId))
    cursor = page.nextCursor ?? undefined
    pages += 1
  } while (cursor !== undefined)
  expect([pages, judged.length]).toEqual([3, 1])
  // Ids are never earlier than the last one of the process, which a test of clocks may have moved.
  expect(await replay({ since: new Date(Date.now() + 3_600_000) })).toMatchObject({ judged: 0 })
  expect(await replay({ since: new Date(0) })).toMatchObject({ judged: 5 })
  await expect(replay({ cursor: 'made-up' })).rejects.toMatchObject({ code: 'invalid_request' })
})

test('servers and tool files that nobody activated are not started, not even to list their tools', async () => {
  const questions: unknown[] = []
  const { registryOf } = desk.worker
  Object.assign(desk.worker, {
    registryOf: (policy: Policy, name: string) => {
      const { toolFiles, digest } = policy
      questions.push([digest, toolFiles, [...(policy.workers.get(name)?.mcpServers.keys() ?? [])]])
      return registryOf(policy, name)
    },
  })
  await write(deskWorker.replace('zones:', 'mcpServers: { evil: { command: evil } }\nzones:'))
  await desk.write('tools/evil.ts', 'process.exit()')
  const inForce = await desk.api.policies.inForce()
  expect((await replay()).judged).toBe(5)
  expect(questions).not.toEqual([])
  expect(new Set(questions.map((one) => JSON.stringify(one)))).toEqual(
    new Set([JSON.stringify([inForce.digest, [], []])]),
  )
  Object.assign(desk.worker, { registryOf })
  await rm(join(desk.root, 'tools'), { recursive: true })
})

test('a server in force is started with the zones and the sandbox in force, whatever the folder says', async () => {
  const { registryOf } = desk.worker
  const started: unknown[] = []
  Object.assign(desk.worker, {
    registryOf: (policy: Policy, name: string) => {
      const worker = policy.workers.get(name)
      if (worker === undefined || worker.mcpServers.size === 0) return registryOf(policy, name)
      started.push([worker.sandbox.network, worker.zones.map(({ root, mode }) => [root, mode])])
      return { get: () => undefined, all: () => [] }
    },
  })
  const withServer = deskWorker.replace('zones:', 'mcpServers: { files: { command: f } }\nzones:')
  await desk.activate({ 'workers/scribe.md': withServer })
  const worker = (await desk.api.policies.inForce()).workers.get('scribe')
  await write(
    withServer.replace(
      'zones:',
      'sandbox: { network: allow }\nzones:\n  - { name: all, root: ., mode: rw }',
    ),
  )
  expect((await replay()).judged).toBe(5)
  const inForce = ['none', worker?.zones.map(({ root, mode }) => [root, mode])]
  expect(started).not.toEqual([])
  expect(new Set(started.map((one) => JSON.stringify(one)))).toEqual(
    new Set([JSON.stringify(inForce)]),
  )
  Object.assign(desk.worker, { registryOf })
})

test('only people who may activate policy can replay, and only a valid folder', async () => {
  const { ada } = desk.people
  await expect(replayPolicy(desk.api, ada.caller, { projectDir: desk.root })).rejects.toMatchObject(
    { code: 'forbidden' },
  )
  await write(deskWorker, config.replace('rights:', 'right:'))
  await expect(replay()).rejects.toMatchObject({ code: 'invalid_request' })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectDatabase } from '#store/database.ts'
import { fakeClock } from '../harness/fixtures/fake-clock.ts'
import { waitUntil } from '../harness/wait-until.ts'
import type { FaultWorld } from './fault-world.ts'
import {
  Agent,
  askAsTaskClient,
  decide,
  makeKey,
  startGatewayWorld,
  timesRun,
} from './gateway-world.ts'

let world: FaultWorld
let key: string

beforeAll(async () => {
  world = await startGatewayWorld()
  key = await makeKey(world)
}, 240_000)
afterAll(() => world[Symbol.asyncDispose](), 60_000)

const ask = (method: string, params: Parameters<typeof askAsTaskClient>[3]) =>
  askAsTaskClient(world, key, method, params)

test('a list of tools says how long it holds, and that it is of its caller alone', async () => {
  expect(await ask('tools/list', {})).toMatchObject({
    resultType: 'complete',
    ttlMs: expect.any(Number) as number,
    cacheScope: 'private',
  })
})

// Rules: product.md 47
test('a task and a pending call wait while everything is away for an hour, and each runs once', async () => {
  const call = { name: 'note', arguments: { text: 'a task' } }
  const task = await ask('tools/call', call)
  const taskId = String(task['taskId'])
  const ttlMs = Number(task['ttlMs'])
  const rows = await world.sql(
    `select request_id, extract(epoch from expires_at - request.created_at) * 1000 as "deadlineMs"
     from gateway_call join request on request.id = request_id where task_id = $1`,
    [taskId],
  )
  expect(ttlMs).toBeGreaterThan(Number(rows[0]?.['deadlineMs']))
  await using before = await Agent.connect(world, 'quick', key)
  const pending = await before.call('note', { text: 'called again' })
  expect(pending.structured).toMatchObject({ status: 'pending' })

  const db = connectDatabase({
    url: await world.installation.databaseUrl(),
    poolSize: 1,
    applicationName: 'test',
  })
  const clock = await fakeClock(db)
  await clock.passWhileDown(3_600_000)
  await db.destroy()
  await world.restart()
  const [times] = await world.sql(
    `select extract(epoch from now() - created_at) > 3600 as "isLater" from request where id = $1`,
    [rows[0]?.['request_id']],
  )
  expect(times).toEqual({ isLater: true })
  expect(await ask('tasks/get', { taskId })).toMatchObject({ status: 'working', taskId })
  expect((await ask('tools/call', call))['taskId']).toBe(taskId)
  await decide(world, { structured: { requestId: rows[0]?.['request_id'] } }, 'approve')
  await decide(world, pending, 'approve')
  let got: Record<string, unknown> = {}
  await waitUntil(async () => {
    got = await ask('tasks/get', { taskId })
    return got['status'] === 'completed' || String(got['status'])
  })
  expect(got).toMatchObject({ result: { content: [{ text: 'note a task' }, {}] } })
  await using after = await Agent.connect(world, 'quick', key)
  expect(await after.call('note', { text: 'called again' })).toMatchObject({
    isError: false,
    disposition: 'approved-executed',
  })
  // A task that has ended is not begun again by a call that repeats it.
  expect((await ask('tools/call', call))['content']).toMatchObject([{ text: 'note a task' }, {}])
  for (const text of ['a task', 'called again']) {
    expect(await timesRun(world, 'quick', `note ${text}`)).toBe(1)
  }
}, 240_000)

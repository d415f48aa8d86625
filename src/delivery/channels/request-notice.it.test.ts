import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { addRequest, addRun, type TestRun } from '#test/harness/fixtures/gated-run.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { putContent } from '#store/content/content.ts'
import { openChannelDesk } from './channel-desk.fixture.ts'
import { readNotice } from './request-notice.ts'

const desk = disposeAfterTests(await openChannelDesk())
const { service, ada } = desk
const { db } = service

/** A run of Ada's whose task is this text as it is stored. */
async function runWith(stored: string): Promise<TestRun> {
  const run = await addRun(service, { startedBy: ada })
  const hash = await putContent(db, stored)
  await db.updateTable('run').set({ input_digest: hash }).where('id', '=', run.id).execute()
  return run
}

async function taskOf(run: TestRun, options: Parameters<typeof addRequest>[2] = {}) {
  const { id } = await addRequest(service, run, options)
  const { task, starter } = await readNotice(db, id)
  expect(starter).toBe('Ada')
  return task
}

// Rules: product.md 38; security.md 20
test('a notice has the task of the root run, its author and its time', async () => {
  const run = await runWith('"Cut the release"')
  expect(await taskOf(run)).toEqual({ by: 'Ada', at: expect.any(Date), text: 'Cut the release' })
  const child = await addRun(service, { startedBy: ada, parent: run })
  expect((await taskOf(child))?.text).toBe('Cut the release')
  const fields = await runWith('{"releaseDate":"2026-12-01","apiKey":"abcdefgh12345678"}')
  expect((await taskOf(fields))?.text).toMatch(
    /^Release date: 2026-12-01\nApi key: \[named secret, 16 characters/,
  )
})

// Rules: security.md 20
test('a notice has no task at high risk, for data of a trigger, after an erasure, and above the size limit', async () => {
  expect(await taskOf(await runWith('"Cut it"'), { risk: 'high' })).toBeNull()
  const triggered = await runWith('"Sent by anybody"')
  await sql`update run set started_from = 'trigger:deploys' where id = ${triggered.id}`.execute(db)
  expect(await taskOf(triggered)).toBeNull()
  expect(await taskOf(await runWith(`"${'x'.repeat(256 * 1024)}"`))).toBeNull()
  const erased = await runWith('"Names a customer"')
  await sql`update content set encoding = 'removed', bytes = '' where hash = ${hashBytes('"Names a customer"')}`.execute(
    db,
  )
  expect(await taskOf(erased)).toBeNull()
})

// Rules: product.md 38
test('a notice has each kind of cue once, including that a command opens the network where the sandbox has none', async () => {
  const run = await runWith('"Cut the release"')
  const { id } = await addRequest(service, run)
  const reaches = { id: 'opens_network', text: 'Reaches the network', line: 1, onlyReaches: true }
  const lacks = { id: 'network_missing', text: 'Needs the network: git push', line: 1 }
  const cuesWith = async (...cues: object[]) => {
    const stored = JSON.stringify(cues)
    await sql`update request_revision set cues = ${stored}::jsonb where request_id = ${id}`.execute(
      db,
    )
    return (await readNotice(db, id)).cues
  }
  expect(await cuesWith()).toEqual([])
  expect(await cuesWith({ id: 'first_use' }, reaches, { ...reaches, line: 2 })).toEqual([
    'opens_network',
    'first_use',
  ])
  expect(await cuesWith(reaches, lacks)).toEqual(['network_missing'])
  // As an earlier version stored it.
  const former = { id: 'opens_network', text: 'Reaches the network: git push', line: 1 }
  expect(await cuesWith(former, lacks)).toEqual(['network_missing'])
  const opens = { id: 'opens_network', text: 'Opens the network to others: aws', line: 1 }
  expect(await cuesWith(opens, lacks)).toEqual(['opens_network', 'network_missing'])
})

// Rules: security.md 29
test('a task that was changed by SQL is left out, and the rest of the notice is still read', async () => {
  expect(await taskOf(await runWith('no JSON'))).toBeNull()
  const nested = '['.repeat(100_000) + ']'.repeat(100_000)
  expect(await taskOf(await runWith(nested))).toBeNull()
  const unending = await runWith('"Cut the release of June"')
  await sql`update run set created_at = 'infinity' where id = ${unending.id}`.execute(db)
  expect(await taskOf(unending)).toBeNull()
  const changed = await runWith('"Cut the release of May"')
  await sql`update content set encoding = 'identity', bytes = convert_to('"Pay Eve"', 'UTF8')
    where hash = ${hashBytes('"Cut the release of May"')}`.execute(db)
  expect(await taskOf(changed)).toBeNull()
})

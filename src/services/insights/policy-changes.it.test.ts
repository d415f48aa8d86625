import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowsOf } from '#test/harness/fixtures/rows.ts'
import type { Caller } from '../core/context.ts'
import { listPolicyChanges, proposePolicyChange, withdrawPolicyChange } from './policy-changes.ts'

const id = 'scribe/zone:notes.write'
const config = `${deskConfig}  activatePolicy: [olga@example.com]\n  readAudit: [linus@example.com]\n`
const relaxed = deskWorker.replace('write: ask', 'write: preApproved')

const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({ 'countersign.yaml': config })
const calls = Array.from({ length: 10 }, (_, at) => ({
  tool: 'write_file',
  input: { path: `notes/${at}.md`, content: 'text' },
}))
desk.say({ text: 'I write', calls })
const { runId } = await desk.startTurn()
for (const { requestId } of await desk.calls(runId, 1)) {
  await desk.decide(desk.people.grace, requestId)
}

const numbersFor = async ({ caller }: { caller: Caller }): Promise<number[]> =>
  (await listPolicyChanges(desk.api, caller)).map(({ number }) => number)
const propose = (as: Caller, which = id) => proposePolicyChange(desk.api, as, which)

test('a proposed change is shown to its proposer and to people who activate policy or read the trail, and changes nothing in force', async () => {
  const { ada, grace, linus, olga } = desk.people
  const before = await desk.api.policies.inForce()
  const change = await propose(grace.caller)
  expect(change).toMatchObject({
    worker: 'scribe',
    file: 'workers/scribe.md',
    evidence: { asked: 10, approved: 10, calls: 10, wouldRunAlone: 10 },
    proposedBy: { id: grace.id },
  })
  expect(change.patch).toContain('write: preApproved')
  expect(await numbersFor(olga)).toEqual([change.number])
  expect(await numbersFor(linus)).toEqual([change.number])
  expect(await numbersFor(grace)).toEqual([change.number])
  expect(await numbersFor(ada)).toEqual([])
  const [firstChange] = await listPolicyChanges(desk.api, linus.caller)
  expect(firstChange?.mayEnd).toBe(false)
  expect((await desk.api.policies.inForce()).digest).toBe(before.digest)
  expect(await desk.read('workers/scribe.md')).toBe(deskWorker)
  desk.say({
    text: 'I write',
    calls: [{ tool: 'write_file', input: { path: 'notes/after.md', content: 'text' } }],
  })
  const { runId } = await desk.startTurn()
  expect((await desk.calls(runId, 1))[0]?.verdict).toBe('ask')
  const events = await rowsOf(
    desk.database.db,
    'audit_event',
    { type: 'policy.change_proposed' },
    'document',
  )
  expect(events.map(({ document }) => JSON.parse(document) as unknown)).toMatchObject([
    {
      detail: { number: change.number, worker: 'scribe', rule: 'zone:notes.write' },
      actor: { type: 'person', id: grace.id },
    },
  ])
})

test('the same rule is not proposed twice, nor a rule that was not always approved, nor anything by a key', async () => {
  const { grace, linus } = desk.people
  expect(await refusal(propose(linus.caller))).toMatchObject({ code: 'conflict' })
  expect(await refusal(propose(grace.caller, 'scribe/zone:notes.delete'))).toMatchObject({
    code: 'not_found',
  })
  const key: Caller = {
    actor: { type: 'machine', id: grace.id, name: 'key', ownerId: grace.id },
    channel: 'api',
  }
  expect(await refusal(propose(key))).toMatchObject({ code: 'forbidden' })
  expect(await refusal(listPolicyChanges(desk.api, key))).toMatchObject({ code: 'forbidden' })
})

test('a proposed change is withdrawn by its proposer or declined by an owner, once, and by nobody else', async () => {
  const { grace, linus, olga } = desk.people
  const [number = 0] = await numbersFor(grace)
  const end = (as: Caller) => withdrawPolicyChange(desk.api, as, number)
  expect(await refusal(end(linus.caller))).toMatchObject({ code: 'forbidden' })
  const key: Caller = {
    actor: { type: 'machine', id: grace.id, name: 'key', ownerId: grace.id },
    channel: 'api',
  }
  expect(await refusal(end(key))).toMatchObject({ code: 'forbidden' })
  await end(grace.caller)
  expect(await refusal(end(grace.caller))).toMatchObject({ code: 'not_found' })
  const again = await propose(grace.caller)
  await withdrawPolicyChange(desk.api, olga.caller, again.number)
  expect(await numbersFor(grace)).toEqual([])
  const { rows } = await sql<{ event: unknown }>`
    select document::jsonb as event from audit_event where type = 'policy.change_withdrawn'
    order by at
  `.execute(desk.database.db)
  expect(rows.map(({ event }) => event)).toMatchObject([
    { actor: { type: 'person', id: grace.id }, detail: { number, worker: 'scribe' } },
    { actor: { type: 'person', id: olga.id }, detail: { number: again.number } },
  ])
})

test('a proposed change ends when a version without the question takes force, and does not come back with it', async () => {
  const { grace } = desk.people
  await propose(grace.caller)
  await desk.activate({ 'workers/scribe.md': relaxed })
  expect(await numbersFor(grace)).toEqual([])
  await desk.activate({ 'workers/scribe.md': deskWorker })
  expect(await numbersFor(grace)).toEqual([])
})

import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { applyPatch } from 'diff'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { Problem } from '#domain/problem.ts'
import { readProposals } from './read-proposals.ts'

const run = promisify(execFile)
let written = 0

const desk = disposeAfterTests(await openAgentDesk())

beforeEach(async () => {
  // Each test has the last 30 days to itself.
  await sql`update request set created_at = created_at - interval '31 days'`.execute(
    desk.database.db,
  )
})

const proposed = (person: TestPerson = desk.people.grace) => readProposals(desk.api, person.caller)

/** Writes that ask, each decided as said. */
async function writes(
  count: number,
  decide: (requestId: string, at: number) => Promise<void> = (requestId) =>
    desk.decide(desk.people.grace, requestId),
): Promise<void> {
  const calls = Array.from({ length: count }, () => {
    written += 1
    return { tool: 'write_file', input: { path: `notes/${written}.md`, content: 'text' } }
  })
  desk.say({ text: 'I write', calls })
  const { runId } = await desk.startTurn()
  for (const [at, call] of (await desk.calls(runId, 1)).entries()) await decide(call.requestId, at)
}

test('a rule that is always approved is proposed, with a patch that git applies and the calls that it would have allowed', async () => {
  await writes(10)
  const [proposal, ...others] = await proposed()
  expect(others).toEqual([])
  expect(proposal).toMatchObject({
    worker: 'scribe',
    rule: { id: 'zone:notes.write', source: 'workers/scribe.md:8' },
    file: 'workers/scribe.md',
    evidence: { asked: 10, approved: 10, denied: 0, medianSeconds: expect.any(Number) },
    replay: { calls: 10, wouldRunAlone: 10, problem: null },
  })
  expect(proposal?.evidence.requests).toHaveLength(10)
  expect(proposal?.replay.requests.toSorted()).toEqual(proposal?.evidence.requests.toSorted())
  const patch = join(desk.root, 'rule.patch')
  await writeFile(patch, proposal?.patch ?? '')
  await run('git', ['-C', desk.root, 'apply', '--check', patch])
  await run('git', ['-C', desk.root, 'apply', patch])
  const changed = await readFile(join(desk.root, 'workers', 'scribe.md'), 'utf8')
  expect(changed).toBe(deskWorker.replace('write: ask', 'write: preApproved'))
  await writeFile(join(desk.root, 'workers', 'scribe.md'), deskWorker)
})

test('a zone that asks because it says nothing is proposed too, with the word that it lacks', async () => {
  const silent = deskWorker.replace(', write: ask', '')
  await desk.activate({ 'workers/scribe.md': silent })
  await writes(10)
  const proposals = await proposed()
  expect(proposals).toMatchObject([
    {
      rule: { id: 'zone:notes.write', source: 'workers/scribe.md:8' },
      replay: { calls: 10, wouldRunAlone: 10, problem: null },
    },
  ])
  const relaxed = silent.replace('.ts], approval: { ', '.ts], approval: { write: preApproved, ')
  expect(applyPatch(silent, proposals[0]?.patch ?? '')).toBe(relaxed)
  await desk.activate({ 'workers/scribe.md': deskWorker })
})

test('a rule that asked nine times, or was once denied, edited or approved by somebody behind the request, is not proposed', async () => {
  await writes(9)
  expect(await proposed()).toEqual([])
  await writes(1, async (id) =>
    desk.decide(desk.people.grace, id, { decision: 'deny', reason: 'No' }),
  )
  await writes(1)
  expect(await proposed()).toEqual([])
  const { db } = desk.database
  const denied = sql`(select request_id from decision where decision = 'deny')`
  await sql`update request set created_at = created_at - interval '31 days' where id in ${denied}`.execute(
    db,
  )
  expect(await proposed()).toHaveLength(1)
  const one = sql`(select id from request where created_at > now() - interval '1 day' limit 1)`
  for (const spoilt of [
    sql`update decision set edited = true where request_id = ${one}`,
    sql`update decision set edited = false, self_approved = true where request_id = ${one}`,
    sql`update decision set self_approved = false where request_id = ${one}`,
  ]) {
    await spoilt.execute(db)
  }
  expect(await proposed()).toHaveLength(1)
  // Who started the runs at an earlier address stands behind them.
  const row = db.updateTable('person').where('id', '=', desk.people.grace.id)
  await row.set({ other_ids: [desk.people.ada.id] }).execute()
  expect(await proposed()).toEqual([])
  await row.set({ other_ids: null }).execute()
  await sql`update request set risk = 'high' where id = ${one}`.execute(db)
  expect(await proposed()).toEqual([])
})

// Rules: security.md 22
test('nothing is proposed to people who may not see every request of the rule', async () => {
  await writes(10)
  expect(await proposed(desk.people.grace)).toHaveLength(1)
  const sam = await addPerson(desk.database.db, 'Sam', [])
  expect(await proposed(sam)).toEqual([])
})

test('a rule whose calls would still ask, because of an overlay, is not proposed', async () => {
  const overlay = 'overlays:\n  - { when: { tool: write_file }, approval: ask }\n'
  await desk.activate({ 'countersign.yaml': deskConfig + overlay })
  await writes(10)
  expect(await proposed()).toEqual([])
  await desk.activate({ 'countersign.yaml': deskConfig })
})

test('without the host of the workspace the change is shown, marked as not judged', async () => {
  await writes(10)
  const away = async (): Promise<never> => {
    throw new Problem('workspace_unreachable', 'No Temporal worker answers')
  }
  const [proposal] = await readProposals(
    { ...desk.api, replayRemotely: away },
    desk.people.grace.caller,
  )
  expect(proposal?.replay).toEqual({
    calls: 0,
    wouldRunAlone: 0,
    requests: [],
    problem: 'No Temporal worker answers',
  })
})

import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { afterWork } from '#test/harness/fixtures/before-transaction.ts'
import { refusedTo } from '#test/harness/fixtures/runs/refused-to.ts'
import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import {
  deskConfig,
  deskWorker,
  openAgentDesk,
  type AgentDesk,
} from '#test/harness/fixtures/agent-desk.ts'
import { addKey } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { holdLock } from '#test/harness/hold-lock.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { advisoryLocks } from '#store/connection/advisory-locks.ts'
import { listGrants } from '../../grants/list-grants.ts'
import { principalsOfRun } from '../../requests/people/principals-of-run.ts'
import { closeConversation } from '../../engine/lifecycle/close-conversation.ts'
import { beginRun } from '../../engine/lifecycle/begin-run.ts'
import { cancelRun } from '../../engine/lifecycle/cancel-run.ts'
import { clearTranscript } from '../../retention/clear-transcript.ts'
import { dueRuns } from '../../retention/due-runs.ts'
import { messageRun } from '../message-run.ts'
import { getRun } from '../reading/get-run.ts'
import { readTranscript } from '../reading/transcript.ts'
import { startFromTrigger } from '../starting/start-from-trigger.ts'
import { startRun } from '../starting/start-run.ts'
import { forkRun, type ForkRunInput } from './fork-run.ts'

let written = 0
const aWrite = (path = `notes/${(written += 1)}.md`) => ({
  tool: 'write_file',
  input: { path, content: `${path}\n` },
})

const deploysTrigger = `triggers:
  deploys: { worker: scribe, as: ada@example.com, secret: "\${DEPLOYS_SECRET}" }
`

const desk = disposeAfterTests(await openAgentDesk())

beforeEach(() => {
  desk.steps.length = 0
  desk.modelRequests.length = 0
})

/** A finished run of two turns: the first wrote what Grace approved, with a grant for the run. */
async function finished(input: Parameters<AgentDesk['start']>[0] = {}): Promise<string> {
  const call = aWrite()
  desk.say({ text: 'I write.', calls: [call] }, { text: 'It is written.' })
  const { runId, turn } = await desk.startTurn(input)
  const [approvedCall] = await desk.calls(runId, 1)
  await desk.decide(desk.people.grace, approvedCall?.requestId ?? '', { scope: 'run' })
  await desk.perform(turn)
  await desk.turn(runId, 2)
  return runId
}

function fork(runId: string, more: Partial<ForkRunInput> = {}, who = desk.people.ada) {
  return forkRun(desk.api, who.caller, { runId, text: 'Go on', ...more })
}

async function askIn(runId: string, turn: number): Promise<string> {
  return (await proposeCall(desk, runId, turn, aWrite())).requestId
}

const messagesOf = async (runId: string, who = desk.people.ada) =>
  (await readTranscript(desk.api, who.caller, runId)).map(({ turn, role, text, from }) => [
    turn,
    role,
    text,
    from,
  ])

// Rules: product.md 29
describe('a fork', () => {
  test('continues the whole transcript under the same turn numbers, and says whose turns they were', async () => {
    const old = await finished()
    const started = await fork(old)
    const { number } = await getRun(desk.api, desk.people.ada.caller, old)
    const forkedFrom = { runId: old, number, turn: 2 }
    expect(started).toMatchObject({ forkedFrom, state: 'running', worker: 'scribe' })
    const { id } = started
    expect(await beginRun(desk.api, { runId: id })).toMatchObject({ turn: 3, ended: false })
    expect(await messagesOf(id)).toEqual([
      [1, 'user', 'Write the notes', old],
      [1, 'assistant', 'I write.', old],
      [2, 'assistant', 'It is written.', old],
      [3, 'user', 'Go on', null],
    ])
    desk.say({ text: 'I went on.' })
    expect(await desk.turn(id, 3)).toEqual({ kind: 'ended' })
    const { messages } = desk.modelRequests.at(-1) ?? { messages: [] }
    expect(messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
    const run = await getRun(desk.api, desk.people.ada.caller, id)
    expect(run).toMatchObject({
      forkedFrom,
      turns: 3,
      state: 'completed',
      output: 'I went on.',
      task: { text: 'Go on' },
    })
    const usage = await sql<{ count: string }>`
      select count(*) from turn_attempt where run_id = ${id}`.execute(desk.database.db)
    expect(usage.rows[0]?.count).toBe('1')
  })

  test('after a turn in the middle has no later turns; a fork of a fork names each run', async () => {
    const old = await finished()
    const { id: second } = await fork(old, { afterTurn: 1, text: 'Else' })
    desk.say({ text: 'Something else.' })
    await desk.turn(second, 2)
    const { id: third, forkedFrom } = await fork(second, { text: 'And now' })
    expect(forkedFrom).toMatchObject({ runId: second, turn: 2 })
    expect(await messagesOf(third)).toEqual([
      [1, 'user', 'Write the notes', old],
      [1, 'assistant', 'I write.', old],
      [2, 'user', 'Else', second],
      [2, 'assistant', 'Something else.', second],
      [3, 'user', 'And now', null],
    ])
    const { id: fourth } = await fork(third, { afterTurn: 1, text: 'From the first' })
    expect((await messagesOf(fourth)).map(([, , , from]) => from)).toEqual([old, old, null])
    for (const id of [third, fourth]) {
      await cancelRun(desk.api, desk.people.ada.caller, { runId: id })
    }
  })

  test('before the first turn starts again, with the old input or a new one', async () => {
    const old = await finished({ input: { version: '1.2' } })
    const { ada } = desk.people
    const again = await forkRun(desk.api, ada.caller, { runId: old, afterTurn: 0 })
    const [[turn, role, text, from] = [], ...others] = await messagesOf(again.id)
    expect([turn, role, from, others]).toEqual([1, 'user', null, []])
    expect(text).toContain('"version": "1.2"')
    const other = { runId: old, afterTurn: 0, input: { version: '1.3' } }
    const changed = await forkRun(desk.api, ada.caller, other)
    expect(await getRun(desk.api, ada.caller, changed.id)).toMatchObject({
      input: { version: '1.3' },
      task: { text: 'Version: 1.3' },
      turns: 0,
    })
    for (const { id } of [again, changed]) await cancelRun(desk.api, ada.caller, { runId: id })
  })

  test.each<[string, Partial<ForkRunInput>, string]>([
    ['beyond the end', { afterTurn: 3 }, 'afterTurn'],
    ['into a turn that is not finished', { afterTurn: 2 }, 'afterTurn'],
    ['with another input in the middle', { afterTurn: 1, input: 'Else' }, 'input'],
    ['with a text and an input at the beginning', { afterTurn: 0, input: 'Else' }, 'text'],
  ])('%s is refused', async (_, body, field) => {
    const call = aWrite()
    desk.say({ calls: [{ tool: 'list_files', input: { path: 'notes' } }] }, { calls: [call] })
    const runId = await desk.start()
    await desk.perform(await desk.turn(runId, 1))
    await desk.turn(runId, 2)
    const refused = await refusal(fork(runId, body))
    expect([refused.code, refused.facts['field']]).toEqual(['invalid_request', field])
    const whole = await fork(runId)
    expect(whole.forkedFrom?.turn).toBe(1)
    const { ada } = desk.people
    const wordless = await refusal(forkRun(desk.api, ada.caller, { runId }))
    expect(wordless.facts['field']).toBe('text')
    for (const id of [runId, whole.id]) await cancelRun(desk.api, ada.caller, { runId: id })
  })

  test('is for people who see the run and may start its worker, once for each key', async () => {
    const old = await finished()
    const { grace, olga, ada } = desk.people
    const { id: ofGrace, startedBy } = await fork(old, {}, grace)
    expect(startedBy?.name).toBe('Grace')
    const unseen = await desk.start()
    expect((await refusal(fork(unseen, {}, grace))).code).toBe('not_found')
    await desk.activate({
      'workers/scribe.md': deskWorker.replace('zones:', 'startableBy: operators\nzones:'),
    })
    expect((await refusal(fork(old, {}, grace))).code).toBe('forbidden')
    await desk.activate({ 'workers/scribe.md': deskWorker })
    const keyed = { idempotencyKey: 'fork once' }
    const [one, two] = await Promise.all([fork(old, keyed, olga), fork(old, keyed, olga)])
    expect(one).toEqual(two)
    const reused = await refusal(fork(old, { ...keyed, text: 'Else' }, olga))
    expect(reused.code).toBe('idempotency_key_reused')
    for (const id of [ofGrace, unseen, one.id])
      await cancelRun(desk.api, olga.caller, { runId: id })
    expect(ada.id).not.toBe(startedBy?.id)
  })

  test('takes the worker in force, or the pinned one while a worker of its name exists', async () => {
    const old = await finished()
    const { ada } = desk.people
    const digestOf = async (id: string) =>
      (await rowOf(desk.database.db, 'run', { id })).worker_digest
    await desk.activate({ 'workers/scribe.md': deskWorker.replace('You write', 'You now write') })
    const current = await fork(old)
    const pinned = await fork(old, { worker: 'pinned' })
    expect(await digestOf(pinned.id)).toBe(await digestOf(old))
    expect(await digestOf(current.id)).not.toBe(await digestOf(old))
    desk.say({ text: 'As before.' })
    await desk.turn(pinned.id, 3)
    expect(desk.modelRequests.at(-1)?.system).toContain('You write')
    await cancelRun(desk.api, ada.caller, { runId: current.id })
    await desk.activate({ 'workers/scribe.md': deskWorker })
  })

  test('in the mode approve_all needs the right again, from the person who forks', async () => {
    const { olga, grace } = desk.people
    const old = await startRun(desk.api, olga.caller, {
      worker: 'scribe',
      input: 'Go',
      mode: 'approve_all',
    })
    await desk.turn(old.id, 1)
    await sql`update run set mode = 'prompt' where id = ${old.id}`.execute(desk.database.db)
    expect((await refusal(fork(old.id, {}, grace))).code).toBe('not_found')
    const again = await fork(old.id, {}, olga)
    expect(again.mode).not.toBe('prompt')
    await cancelRun(desk.api, olga.caller, { runId: again.id })
  })
})

// Rules: product.md 17, 29
describe('a person behind the old run', () => {
  test('is behind every request of its fork, and of a fork of that, whoever forks it', async () => {
    const old = await finished()
    const { ada, grace, linus } = desk.people
    const first = await fork(old, {}, grace)
    const request = await askIn(first.id, 3)
    expect(await refusedTo(desk, ada, request)).toContain('the run that this one was forked from')
    expect(await refusedTo(desk, grace, request)).toContain('you started this run')
    const second = await fork(first.id, { afterTurn: 1 }, grace)
    const later = await askIn(second.id, 2)
    await refusedTo(desk, ada, later)
    await desk.decide(linus, request)
    await desk.decide(linus, later)
    for (const { id } of [first, second]) await cancelRun(desk.api, grace.caller, { runId: id })
  })

  test('is one who wrote to it or owns its key, until the moment of the fork and not after', async () => {
    const { ada, grace, linus, olga } = desk.people
    const key = await addKey(desk.database.db, linus)
    const old = await startRun(desk.api, key.caller, { worker: 'scribe', input: 'Go' })
    await messageRun(desk.api, olga.caller, { runId: old.id, text: 'And this' })
    desk.say({ text: 'Done.' })
    await desk.turn(old.id, 1)
    const forked = await fork(old.id, {}, olga)
    const behind = await principalsOfRun(desk.database.db, forked.id)
    const ids = new Set(behind.map(({ personId }) => personId))
    expect([ids.has(linus.id), ids.has(olga.id), ids.has(ada.id), ids.has(grace.id)]).toEqual([
      true,
      true,
      false,
      false,
    ])
    await refusedTo(desk, linus, await askIn(forked.id, 2))
    await cancelRun(desk.api, olga.caller, { runId: forked.id })
  })

  // Rules: security.md 29
  test('stays behind it when their rows are deleted, or the fork is made to look like an ordinary run', async () => {
    const old = await finished()
    const { ada, grace, linus } = desk.people
    const forked = await fork(old, {}, grace)
    const { db } = desk.database
    await sql`delete from run_principal where run_id = ${forked.id}`.execute(db)
    await sql`delete from run_prefix where run_id = ${forked.id}`.execute(db)
    const request = await askIn(forked.id, 3)
    await refusedTo(desk, ada, request)
    await desk.decide(linus, request, { decision: 'deny' })
    await desk.perform(await desk.turn(forked.id, 3))
    // Without the run that its signed statement names it is no run that anybody vouches for.
    await sql`update run set forked_from = null where id = ${forked.id}`.execute(db)
    const executed = desk.executed.length
    expect((await desk.turn(forked.id, 4)).kind).toBe('ended')
    expect(await desk.calls(forked.id, 4)).toEqual([])
    expect(desk.executed).toHaveLength(executed)
  })

  test('may leave too few people to decide: such a fork does not start', async () => {
    const old = await finished()
    const { ada, grace, linus } = desk.people
    await sql`update person set disabled_at = now() where id = ${linus.id}`.execute(
      desk.database.db,
    )
    const refused = await refusal(fork(old, {}, grace))
    expect(refused.code).toBe('unreachable_approvers')
    expect(JSON.stringify(refused.facts)).toContain(ada.id === '' ? '' : 'forked from')
    await sql`update person set disabled_at = null where id = ${linus.id}`.execute(desk.database.db)
  })
})

test('a fork has no grants of the old run: a call that was approved there for the run asks again', async () => {
  const call = aWrite()
  desk.say({ calls: [call] })
  const { runId: old, turn } = await desk.startTurn({ conversation: true })
  const [approvedCall] = await desk.calls(old, 1)
  await desk.decide(desk.people.grace, approvedCall?.requestId ?? '', { scope: 'run' })
  await desk.perform(turn)
  await desk.turn(old, 2)
  const forked = await fork(old)
  expect(forked.conversation).toBe(true)
  const { ada } = desk.people
  expect(await listGrants(desk.api, ada.caller, { runId: forked.id })).toEqual([])
  await desk.write(call.input.path, 'changed\n')
  desk.say({ calls: [call] })
  await desk.turn(forked.id, 3)
  expect((await desk.calls(forked.id, 3))[0]).toMatchObject({ verdict: 'ask', result: null })
  await cancelRun(desk.api, ada.caller, { runId: forked.id })
  await closeConversation(desk.api, ada.caller, { runId: old })
})

test('the words of a run are kept as long as a fork that continues them, and no fork is made once they are removed', async () => {
  const old = await finished()
  const forked = await fork(old)
  const due = async () =>
    (await dueRuns(desk.database.db, { olderThanMs: 0, after: null, maxRuns: 1000 })).map(
      ({ id }) => id,
    )
  expect(await due()).not.toContain(old)
  const { ada } = desk.people
  await cancelRun(desk.api, ada.caller, { runId: forked.id })
  expect(await due()).toContain(old)
  await sql`insert into cleared_run (run_id, rule) values (${old}, 'test')`.execute(
    desk.database.db,
  )
  expect((await refusal(fork(old))).facts['field']).toBe('afterTurn')
  expect((await refusal(fork(forked.id, { afterTurn: 1 }))).facts['field']).toBe('afterTurn')
})

// Rules: product.md 29
test('a run whose texts retention removed starts again with its input, and with files only if a text is sent', async () => {
  const { ada } = desk.people
  const again = (runId: string, more: Partial<ForkRunInput> = {}) =>
    forkRun(desk.api, ada.caller, { runId, afterTurn: 0, ...more })
  const clear = (runId: string) =>
    clearTranscript(desk.api, { runId, rule: 'test', olderThanMs: 0 })
  const firstOf = async (runId: string) => (await messagesOf(runId))[0]?.[2]
  const old = await finished({ input: { version: '1.2' } })
  const later = await fork(old)
  await cancelRun(desk.api, ada.caller, { runId: later.id })
  expect(await clear(old)).not.toBeNull()
  for (const runId of [old, later.id]) {
    const { id } = await again(runId)
    expect(await firstOf(id)).toContain('"version": "1.2"')
    await cancelRun(desk.api, ada.caller, { runId: id })
  }
  const files = [{ name: 'a.txt', mediaType: 'text/plain', data: 'YQ==' }]
  const { id: withFile } = await again(old, { text: 'Read it', files })
  await cancelRun(desk.api, ada.caller, { runId: withFile })
  expect(await clear(withFile)).not.toBeNull()
  const refused = await refusal(again(withFile))
  expect(refused).toMatchObject({ code: 'invalid_request', facts: { field: 'text' } })
  const { id } = await again(withFile, { text: 'Read nothing' })
  expect(await firstOf(id)).toBe('Read nothing')
  await cancelRun(desk.api, ada.caller, { runId: id })
})

// Rules: product.md 29
test('the payload of a trigger stays quoted data in a run that starts again after retention removed its texts', async () => {
  const { ada, olga } = desk.people
  await desk.activate({ 'countersign.yaml': `${deskConfig}${deploysTrigger}` })
  const trigger = (await desk.api.policies.inForce()).config.triggers.get('deploys')
  if (trigger === undefined) throw new Error('The version in force has the trigger')
  const message = { trigger, key: null, input: { note: 'Delete it' }, messageId: undefined }
  const { id: old } = await startFromTrigger(desk.api, message)
  const [first] = await messagesOf(old)
  await cancelRun(desk.api, olga.caller, { runId: old })
  await clearTranscript(desk.api, { runId: old, rule: 'test', olderThanMs: 0 })
  const { id } = await forkRun(desk.api, ada.caller, { runId: old, afterTurn: 0 })
  expect((await messagesOf(id))[0]?.[2]).toBe(first?.[2])
  await cancelRun(desk.api, ada.caller, { runId: id })
  await desk.activate({ 'countersign.yaml': deskConfig })
})

// Rules: product.md 29
test('a sweep that found a run due removes none of its words once a fork continues them, a fork of a fork included', async () => {
  const { ada } = desk.people
  const old = await finished()
  const between = await fork(old)
  await cancelRun(desk.api, ada.caller, { runId: between.id })
  const sweep = (ctx = desk.api) =>
    clearTranscript(ctx, { runId: old, rule: 'test', olderThanMs: 0 })
  const forked = await fork(old)
  expect(await sweep()).toBeNull()
  await cancelRun(desk.api, ada.caller, { runId: forked.id })

  // The sweep has the lock of the run, and a fork of its fork begins.
  const late: Promise<unknown>[] = []
  const db = afterWork(desk.database.db, async () => {
    late.push(refusal(fork(between.id, { afterTurn: 1 })))
    const waiting = await holdLock(desk.database.db, sql`select 1`)
    await waiting.waitedForBy(1)
    await waiting.release()
  })
  expect(await sweep({ ...desk.api, db })).not.toBeNull()
  const refused = { code: 'invalid_request', facts: { field: 'afterTurn' } }
  expect(await Promise.all(late)).toMatchObject([refused])
})

// Rules: security.md 13
test('a fork locks the version in force before its run, as an activation and the retirement of a key do', async () => {
  const old = await finished()
  const { db } = desk.database
  const run = await holdLock(db, sql`select from run where id = ${old} for update`)
  const forked = fork(old)
  await run.waitedForBy(1)
  const { rows } = await sql<{ free: boolean }>`
    select pg_try_advisory_xact_lock(${advisoryLocks.activation}) as free`.execute(db)
  await run.release()
  await cancelRun(desk.api, desk.people.ada.caller, { runId: (await forked).id })
  expect(rows).toEqual([{ free: false }])
})

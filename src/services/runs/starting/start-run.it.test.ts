import { describe, expect, test } from 'vitest'
import { Problem } from '#domain/problem.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { beforeTransaction } from '#test/harness/fixtures/before-transaction.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { addKey } from '#test/harness/fixtures/people.ts'
import { sealRows } from '#test/harness/fixtures/keys/test-keys.ts'
import { rowOf, rowsOf } from '#test/harness/fixtures/rows.ts'
import { requireWorker } from '../../core/require-worker.ts'
import { cancelRun } from '../../engine/lifecycle/cancel-run.ts'
import { getRun } from '../reading/get-run.ts'
import { listRuns } from '../reading/list-runs.ts'
import { messageRun } from '../message-run.ts'
import { readPersonRows } from './find-member.ts'
import { judgeStart, startRun } from './start-run.ts'
import { readTranscript } from '../reading/transcript.ts'
import { verifyRun } from '../../core/verify-run.ts'

const desk = disposeAfterTests(await openAgentDesk())

const asking = { worker: 'scribe', input: 'Write the notes' }

async function code(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => 'done',
    (error: unknown) => (error instanceof Problem ? error.code : 'no problem'),
  )
}

describe('starting', () => {
  test('writes run, statement, lineage, message, event and outbox row together', async () => {
    const started = await startRun(desk.api, desk.people.ada.caller, asking)
    const { db } = desk.database
    const row = await rowOf(db, 'run', { id: started.id })
    expect(started).toMatchObject({ workflowId: `agent-run:${started.id}`, state: 'running' })
    expect(verifyRun(desk.api.verifier, row)).toMatchObject({ runId: started.id, mode: 'prompt' })
    expect(verifyRun(desk.api.verifier, { ...row, mode: 'approve_all' })).toBeNull()
    const outbox = await rowsOf(db, 'outbox', { run_id: started.id }, 'kind')
    expect(outbox).toEqual([{ kind: 'start_run' }])
    expect(await desk.auditTypes(started.id)).toEqual(['run.started'])
    expect(await readTranscript(desk.api, desk.people.ada.caller, started.id)).toMatchObject([
      { turn: 1, role: 'user', text: 'Write the notes' },
    ])
  })

  test('twice with one idempotency key starts one run; another body is refused', async () => {
    const keyed = { ...asking, idempotencyKey: 'k1' }
    const [first, second] = await Promise.all([
      startRun(desk.api, desk.people.ada.caller, keyed),
      startRun(desk.api, desk.people.ada.caller, keyed),
    ])
    expect(second).toEqual(first)
    const other = startRun(desk.api, desk.people.ada.caller, { ...keyed, input: 'Else' })
    expect(await code(other)).toBe('idempotency_key_reused')
  })

  // Rules: product.md 21
  test('an unknown worker, a forbidden mode and a bad input are refused', async () => {
    const { ada, olga } = desk.people
    const start = (more: object, who = ada) =>
      code(startRun(desk.api, who.caller, { ...asking, ...more }))
    expect(await start({ worker: 'nobody' })).toBe('unknown_worker')
    expect(await start({ worker: 'constructor' })).toBe('unknown_worker')
    await expect(startRun(desk.api, ada.caller, { ...asking, worker: 'scirbe' })).rejects.toThrow(
      'There is no worker scirbe; did you mean "scribe"?',
    )
    expect(await start({ mode: 'approve_all' })).toBe('mode_not_permitted')
    expect(await start({ mode: 'approve_all' }, olga)).toBe('done')
    expect(await start({ input: 7 })).toBe('invalid_request')
    expect(await start({ input: 'a\0b' })).toBe('invalid_request')
    expect(await start({ input: { text: 'spelled \\u0000 out' } })).toBe('done')
  })

  test('is not judged by the rows of another person than the one behind the caller', async () => {
    const { ada, olga } = desk.people
    const policy = await desk.api.policies.inForce()
    const worker = requireWorker(policy, 'scribe')
    const mode = 'prompt'
    const judge = async (id: string) => {
      const person = await readPersonRows(desk.database.db, id)
      return judgeStart(desk.api, ada.caller, { person, worker, mode })
    }
    expect((await judge(ada.id)).starter.id).toBe(ada.id)
    await expect(judge(olga.id)).rejects.toThrow(`${olga.id} does not start as ${ada.id}`)
  })

  test('only members of startableBy can start such a worker', async () => {
    const only = deskWorker.replace('zones:', 'startableBy: [operators]\nzones:')
    await desk.activate({ 'workers/scribe.md': only })
    expect(await code(desk.start())).toBe('forbidden')
    expect(await code(startRun(desk.api, desk.people.olga.caller, asking))).toBe('done')
    // Members by a group of the sign-in provider are members while that holds.
    const { db } = desk.database
    const byGroup = { team: 'operators', person_id: desk.people.ada.id }
    await db
      .insertInto('membership')
      .values({ ...byGroup, until: new Date(Date.now() + 3_600_000) })
      .execute()
    // A row that somebody wrote makes nobody a member.
    expect(await code(desk.start())).toBe('forbidden')
    await sealRows(db, 'membership', 'person_id', desk.people.ada.id)
    expect(await code(desk.start())).toBe('done')
    const mine = db.updateTable('membership').where('person_id', '=', desk.people.ada.id)
    await mine
      .set({ until: new Date(Date.now() - 1000) })
      .where('team', '=', 'operators')
      .execute()
    await sealRows(db, 'membership', 'person_id', desk.people.ada.id)
    expect(await code(desk.start())).toBe('forbidden')
    await desk.activate({ 'workers/scribe.md': deskWorker })
  })

  // Rules: security.md 22
  test('a person who is disabled, leaves the team or loses the key while a start is prepared starts nothing', async () => {
    const { db } = desk.database
    const { ada, olga } = desk.people
    const key = await addKey(db, ada)
    const startWhile = async (caller: typeof ada.caller, act: () => Promise<unknown>) => {
      const api = { ...desk.api, db: beforeTransaction(desk.api.db, act) }
      return code(startRun(api, caller, { ...asking, idempotencyKey: 'prepared' }))
    }
    const disable = (disabled_at: Date | null) =>
      db.updateTable('person').set({ disabled_at }).where('id', '=', ada.id).execute()
    const revoke = () =>
      db.updateTable('api_key').set({ revoked_at: new Date() }).where('id', '=', key.id).execute()
    expect(await startWhile(ada.caller, () => disable(new Date()))).toBe('forbidden')
    await disable(null)
    expect(await startWhile(key.caller, revoke)).toBe('unauthenticated')
    const only = deskWorker.replace('zones:', 'startableBy: [operators]\nzones:')
    await desk.activate({ 'workers/scribe.md': only })
    const leave = () =>
      db.updateTable('membership').set({ seal: null }).where('person_id', '=', olga.id).execute()
    expect(await startWhile(olga.caller, leave)).toBe('forbidden')
    await sealRows(db, 'membership', 'person_id', olga.id)
    await desk.activate({ 'workers/scribe.md': deskWorker })
    expect(await startWhile(ada.caller, async () => undefined)).toBe('done')
  })

  // Rules: product.md 22
  test('a run whose requests could reach nobody is refused with what to configure', async () => {
    const { db } = desk.database
    await db.updateTable('person').set({ disabled_at: new Date() }).execute()
    const ada = desk.people.ada.id
    await db.updateTable('person').set({ disabled_at: null }).where('id', '=', ada).execute()
    await db.deleteFrom('team_member').where('team', '=', 'platform').execute()
    await expect(desk.start()).rejects.toMatchObject({ code: 'unreachable_approvers' })
    await expect(desk.start()).rejects.toThrow('countersign.yaml')
    await db.updateTable('person').set({ disabled_at: null }).execute()
    await desk.activate({ 'countersign.yaml': `${deskConfig}# again\n` })
    expect(await code(desk.start())).toBe('done')
  })

  // Rules: product.md 42
  test('a run whose requests only people behind it could decide does not start, and the refusal says who, why and what to configure', async () => {
    const { ada, grace, olga } = desk.people
    const alone = deskConfig.replace(
      'ada@example.com, grace@example.com, linus@example.com',
      'ada@example.com',
    )
    await desk.activate({ 'countersign.yaml': alone })
    const refused = await refusal(desk.start())
    expect(refused).toMatchObject({
      code: 'unreachable_approvers',
      facts: {
        queue: 'platform',
        people: [{ name: 'Ada', why: 'starts the run' }],
        remedy: expect.stringContaining('add a colleague to the team platform'),
      },
    })
    const key = await addKey(desk.database.db, ada)
    expect(await refusal(startRun(desk.api, key.caller, asking))).toMatchObject({
      facts: { people: [{ name: 'Ada', why: 'owns the API key' }] },
    })
    // Somebody else starts it, an escalation brings somebody in, or the queue lets people decide
    // their own.
    expect(await code(startRun(desk.api, olga.caller, asking))).toBe('done')
    const escalates = '{ team: platform, escalate: [{ after: 1h, addTeams: [operators] }] }'
    for (const queue of [escalates, '{ team: platform, selfApproval: true }']) {
      await desk.activate({ 'countersign.yaml': alone.replace('{ team: platform }', queue) })
      expect(await code(desk.start())).toBe('done')
    }
    // At another address too, as long as the project says whose it was; else the former address
    // starts nothing.
    const renamed = alone.replace('[ada@example.com]', '[king@example.com]')
    for (const [formerly, answer] of [
      ['', 'unauthenticated'],
      [', formerly: ada@example.com', 'unreachable_approvers'],
    ]) {
      const people = `people:\n  - { email: king@example.com${formerly} }\n`
      await desk.activate({ 'countersign.yaml': renamed + people })
      expect(await code(desk.start()), formerly).toBe(answer)
    }
    const two = alone.replace('[ada@example.com]', '[ada@example.com, grace@example.com]')
    await desk.activate({ 'countersign.yaml': two })
    const isGrace = desk.database.db.updateTable('person').where('id', '=', grace.id)
    await isGrace.set({ disabled_at: new Date() }).execute()
    const left = await refusal(desk.start())
    expect(left).toMatchObject({
      message: expect.stringContaining('(Ada, who starts the run); Grace is disabled: add'),
      facts: {
        people: [
          { name: 'Ada', why: 'starts the run' },
          { name: 'Grace', why: 'is disabled' },
        ],
      },
    })
    await isGrace.set({ disabled_at: null }).execute()
    const both = 'routing: [{ when: {}, quorum: { count: 2 } }]'
    await desk.activate({
      'countersign.yaml': `${two}${both}\n`,
    })
    // Even if people decided their own requests, the quorum would need one more.
    const three = both.replace('2', '3')
    expect(await code(desk.start())).toBe('unreachable_approvers')
    await desk.activate({ 'countersign.yaml': `${two}${three}\n` })
    expect(await refusal(desk.start())).toMatchObject({
      facts: { remedy: 'add a colleague to the team platform in countersign.yaml' },
    })
    await desk.activate({ 'countersign.yaml': deskConfig })
  })

  // Rules: product.md 30
  test('a run that only asks questions starts where there is nobody else: its starter may answer them', async () => {
    const alone = deskConfig.replace(
      'ada@example.com, grace@example.com, linus@example.com',
      'ada@example.com',
    )
    const asker = `---\nname: scribe\nmodel: openai-compatible:x\ntools: { ask_person: {} }\n---\nAsk.\n`
    await desk.activate({ 'countersign.yaml': alone, 'workers/scribe.md': asker })
    expect(await code(desk.start())).toBe('done')
    await desk.activate({
      'countersign.yaml': alone.replace('defaults: { queue: platform }\n', ''),
      'workers/scribe.md': asker,
    })
    expect(await code(desk.start())).toBe('unreachable_approvers')
    await desk.activate({ 'countersign.yaml': deskConfig, 'workers/scribe.md': deskWorker })
  })

  test('a key starts for its owner, who is behind the requests of the run', async () => {
    const key = await addKey(desk.database.db, desk.people.ada)
    const started = await startRun(desk.api, key.caller, asking)
    expect(started.startedBy?.id).toBe(desk.people.ada.id)
    const message = { runId: started.id, text: 'Hello' }
    expect(await code(messageRun(desk.api, key.caller, message))).toBe('done')
    const other = await addKey(desk.database.db, desk.people.ada)
    expect(await code(messageRun(desk.api, other.caller, message))).toBe('forbidden')
  })
})

describe('seeing and steering', () => {
  test('strangers see no run; people whom it asked see it, and may not steer it', async () => {
    desk.say({ calls: [{ tool: 'write_file', input: { path: 'notes/s.md', content: 'x' } }] })
    const runId = await desk.start()
    const { ada, grace, olga } = desk.people
    expect(await code(getRun(desk.api, grace.caller, runId))).toBe('not_found')
    expect(await code(cancelRun(desk.api, grace.caller, { runId }))).toBe('not_found')
    await desk.turn(runId, 1)
    expect(await getRun(desk.api, grace.caller, runId)).toMatchObject({
      state: 'waiting_for_approval',
      pendingRequests: 1,
      turns: 1,
      title: 'Write the notes',
      lineage: [{ runId, worker: 'scribe', startedBy: { id: ada.id } }],
      allowed: { message: false, cancel: false },
    })
    expect(await code(cancelRun(desk.api, grace.caller, { runId }))).toBe('forbidden')
    expect(await code(cancelRun(desk.api, olga.caller, { runId }))).toBe('done')
    expect(await getRun(desk.api, ada.caller, runId)).toMatchObject({
      state: 'cancelled',
      pendingRequests: 0,
      allowed: { message: false, cancel: false },
    })
    const [call] = await desk.calls(runId, 1)
    const request = await desk.database.db
      .selectFrom('request')
      .select(['state', 'cancel_reason'])
      .where('id', '=', call?.requestId ?? '')
      .executeTakeFirst()
    expect(request).toEqual({ state: 'cancelled', cancel_reason: 'run_cancelled' })
    expect(call?.result).toBe('cancelled')
  })

  test('the list is newest first, filtered, and its pages have no gaps', async () => {
    const mine = await listRuns(desk.api, desk.people.ada.caller, { startedBy: 'me', limit: 2 })
    expect(mine.items).toHaveLength(2)
    const rest: string[] = mine.items.map((run) => run.id)
    let cursor = mine.nextCursor
    while (cursor !== null) {
      const page = await listRuns(desk.api, desk.people.ada.caller, {
        startedBy: 'me',
        limit: 2,
        cursor,
      })
      rest.push(...page.items.map((run) => run.id))
      cursor = page.nextCursor
    }
    const all = await listRuns(desk.api, desk.people.ada.caller, { startedBy: 'me', limit: 200 })
    expect(rest).toEqual(all.items.map((run) => run.id))
    const cancelled = await listRuns(desk.api, desk.people.ada.caller, { state: 'cancelled' })
    expect(cancelled.items.every((run) => run.state === 'cancelled')).toBe(true)
    const bad = listRuns(desk.api, desk.people.ada.caller, { cursor: 'nonsense' })
    expect(await code(bad)).toBe('invalid_request')
  })
})

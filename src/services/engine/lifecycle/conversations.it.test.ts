import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import {
  deskConfig,
  deskWorker,
  openAgentDesk,
  type AgentDesk,
} from '#test/harness/fixtures/agent-desk.ts'
import { addKey } from '#test/harness/fixtures/people.ts'
import type { Caller } from '../../core/context.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { loadTranscript } from '../../transcript/load-transcript.ts'
import { listGrants } from '../../grants/list-grants.ts'
import { messageRun } from '../../runs/message-run.ts'
import { getRun } from '../../runs/reading/get-run.ts'
import { listRuns } from '../../runs/reading/list-runs.ts'
import { findRun } from '../../runs/visible-run.ts'
import { startRun } from '../../runs/starting/start-run.ts'
import { invokeTool } from '../manual-calls/invoke-tool.ts'
import { cancelRun } from './cancel-run.ts'
import { closeConversation } from './close-conversation.ts'
import { closeRun, endRest } from './close-run.ts'
import { endDueRests } from './end-due-rests.ts'

const aWrite = (content: string) => ({
  tool: 'write_file',
  input: { path: 'notes/talk.md', content },
})

const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({
  'countersign.yaml': deskConfig,
  'workers/scribe.md': deskWorker,
  'workers/hand.md': deskWorker
    .replace('name: scribe', 'name: hand')
    .replace('zones:', 'tools: { write_file: { manual: true } }\nzones:'),
  'workers/talker.md': deskWorker
    .replace('name: scribe', 'name: talker')
    .replace('zones:', 'conversation: true\nrestFor: 2h\nzones:'),
})

beforeEach(() => {
  desk.steps.length = 0
})

async function talk(input: Parameters<AgentDesk['start']>[0] = {}) {
  const runId = await desk.start({ conversation: true, ...input })
  return { runId, first: await desk.turn(runId, 1) }
}

function post(runId: string, text = 'And then?', idempotencyKey?: string) {
  const key = idempotencyKey === undefined ? {} : { idempotencyKey }
  return messageRun(desk.api, desk.people.ada.caller, { runId, text, ...key })
}

const show = (runId: string) => getRun(desk.api, desk.people.ada.caller, runId)
const close = (runId: string, who = desk.people.ada) =>
  closeConversation(desk.api, who.caller, { runId })

async function letRestPass(runId: string): Promise<void> {
  await sql`update run set rests_until = clock_timestamp() - interval '1 minute'
    where id = ${runId}`.execute(desk.database.db)
}

// Rules: product.md 28
describe('a conversation', () => {
  test('rests after its answer, and a message continues the same transcript', async () => {
    desk.say({ text: 'First answer.' }, { text: 'Second answer.' })
    const { runId, first } = await talk()
    const week = 7 * 86_400_000
    expect(first).toEqual({ kind: 'waiting_for_input', turn: 2, restsForMs: week })
    const rests = await show(runId)
    expect(rests).toMatchObject({
      state: 'waiting_for_input',
      rest: 'answered',
      conversation: true,
      output: 'First answer.',
      endedAt: null,
      allowed: { message: true, close: true },
    })
    expect(Math.abs((rests.restsUntil?.getTime() ?? 0) - Date.now() - week)).toBeLessThan(60_000)
    expect(await post(runId)).toMatchObject({ state: 'running' })
    expect(await show(runId)).toMatchObject({ rest: null, restsUntil: null, output: null })
    await desk.turn(runId, 2)
    expect(desk.modelRequests.at(-1)?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
    ])
    expect(await show(runId)).toMatchObject({
      rest: 'answered',
      output: 'Second answer.',
      turns: 2,
    })
    // A workflow that was started again reads back where the run rests.
    expect(await desk.turn(runId, 2)).toEqual({ kind: 'finished' })
    expect(await closeRun(desk.worker, { runId })).toMatchObject({ kind: 'rests', turn: 3 })
    await close(runId)
  })

  test('is chosen at the start of a run; else by the worker for runs that people start, never for runs of keys', async () => {
    const { ada } = desk.people
    const started = async (worker: string, conversation?: boolean, caller: Caller = ada.caller) => {
      const options = conversation === undefined ? {} : { conversation }
      const run = await startRun(desk.api, caller, { worker, input: 'Go', ...options })
      await cancelRun(desk.api, ada.caller, { runId: run.id })
      return run.conversation
    }
    expect(await started('talker')).toBe(true)
    expect(await started('talker', false)).toBe(false)
    expect(await started('scribe')).toBe(false)
    const key = (await addKey(desk.database.db, ada)).caller
    expect(await started('talker', undefined, key)).toBe(false)
    expect(await started('talker', true, key)).toBe(true)
  })

  test('keeps its grants while it rests, and ends them when it is closed', async () => {
    desk.say({ calls: [aWrite('one\n')] })
    const { runId, first } = await talk()
    const { grace } = desk.people
    const [call] = await desk.calls(runId, 1)
    await desk.decide(grace, call?.requestId ?? '', { scope: 'run' })
    await desk.perform(first)
    await desk.turn(runId, 2)
    expect((await show(runId)).rest).toBe('answered')
    await desk.write('notes/talk.md', 'changed by hand\n')
    await post(runId)
    desk.say({ calls: [aWrite('one\n')] })
    await desk.perform(await desk.turn(runId, 3))
    expect((await desk.calls(runId, 3))[0]).toMatchObject({ result: 'output' })
    await desk.turn(runId, 4)
    const grants = () => listGrants(desk.api, desk.people.ada.caller, { runId })
    expect((await grants()).filter(({ endedAt }) => endedAt === null)).toHaveLength(1)
    await close(runId)
    expect((await grants()).filter(({ endedAt }) => endedAt === null)).toHaveLength(0)
    expect(await desk.auditTypes(runId)).toContain('grant.ended')
  })

  test('ends completed once its rest is over by the clock of the database, and not before', async () => {
    desk.say({ text: 'The answer.' })
    const { runId } = await talk()
    expect(await closeRun(desk.worker, { runId })).toMatchObject({ kind: 'rests' })
    expect(await endDueRests(desk.api, { lateSeconds: 0 })).not.toContain(runId)
    await letRestPass(runId)
    expect(await closeRun(desk.worker, { runId })).toEqual({ kind: 'closed' })
    expect(await show(runId)).toMatchObject({
      state: 'completed',
      output: 'The answer.',
      rest: null,
      restsUntil: null,
      failure: null,
    })
    expect(await desk.turn(runId, 2)).toEqual({ kind: 'ended' })
    expect((await refusal(post(runId))).code).toBe('run_ended')
  })

  test('whose workflow was lost is ended by the reconciler, which wakes the remaining workflow', async () => {
    const { runId } = await talk()
    await letRestPass(runId)
    expect(await endDueRests(desk.api, { lateSeconds: 30 })).toEqual([runId])
    expect(await endDueRests(desk.api, { lateSeconds: 0 })).toEqual([])
    const rows = await sql<{
      kind: string
    }>`select kind from outbox where run_id = ${runId}`.execute(desk.database.db)
    expect(rows.rows.map(({ kind }) => kind)).toContain('signal_messaged')
  })

  test('loses no message that arrives as its rest ends: it is read, or refused', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { runId } = await talk()
      await letRestPass(runId)
      const [posted, ended, closed] = await Promise.allSettled([
        post(runId),
        endRest(desk.api, { runId }),
        closeRun(desk.worker, { runId }),
      ])
      expect([ended.status, closed.status]).toEqual(['fulfilled', 'fulfilled'])
      const { state } = await show(runId)
      expect(state).toBe(posted.status === 'fulfilled' ? 'running' : 'completed')
      if (state === 'completed') continue
      const before = desk.modelRequests.length
      await desk.turn(runId, 2)
      expect(desk.modelRequests.slice(before).at(-1)?.messages.at(-1)).toMatchObject({
        role: 'user',
      })
      await close(runId)
    }
  })

  test('rests as long after a limit, a denial with stop or a failed model, and names the cause', async () => {
    desk.say({ calls: [aWrite('stop\n')] })
    const { runId, first } = await talk()
    const [call] = await desk.calls(runId, 1)
    await desk.decide(desk.people.grace, call?.requestId ?? '', { decision: 'deny', then: 'stop' })
    await desk.perform(first)
    expect(await desk.turn(runId, 2)).toMatchObject({ kind: 'waiting_for_input', turn: 2 })
    const stopped = await show(runId)
    expect(stopped).toMatchObject({ rest: 'stopped' })
    expect(stopped.restsUntil).not.toBeNull()
    await letRestPass(runId)
    expect(await closeRun(desk.worker, { runId })).toEqual({ kind: 'closed' })
    // A run that is not a conversation waits without limit.
    desk.say({ calls: [aWrite('stop too\n')] })
    const { runId: plain, turn } = await desk.startTurn()
    const [plainCall] = await desk.calls(plain, 1)
    await desk.decide(desk.people.grace, plainCall?.requestId ?? '', {
      decision: 'deny',
      then: 'stop',
    })
    await desk.perform(turn)
    expect(await desk.turn(plain, 2)).toEqual({ kind: 'waiting_for_input' })
    expect(await show(plain)).toMatchObject({ rest: 'stopped', restsUntil: null })
    expect(await closeRun(desk.worker, { runId: plain })).toEqual({ kind: 'continue' })
    expect((await close(plain)).state).toBe('completed')
  })
})

// Rules: product.md 28
describe('closing', () => {
  test('is for people who may message the run, once; a repeated request with its key gets the same result', async () => {
    const { runId } = await talk()
    const { ada, grace, olga } = desk.people
    expect((await refusal(close(runId, grace))).code).toBe('not_found')
    const keyed = { runId, idempotencyKey: 'close it' }
    const answers = await Promise.all([
      closeConversation(desk.api, olga.caller, keyed),
      closeConversation(desk.api, olga.caller, keyed),
    ])
    expect(answers[0]).toEqual(answers[1])
    expect((await refusal(close(runId, ada))).code).toBe('run_ended')
    const ends = (await desk.auditTypes(runId)).filter((type) => type === 'run.ended')
    expect(ends).toHaveLength(1)
  })

  test('is refused while a turn, a decision or a call of a person is open', async () => {
    const { runId } = await talk()
    await post(runId)
    expect((await refusal(close(runId))).code).toBe('conflict')
    desk.say({ calls: [aWrite('later\n')] })
    const turn = await desk.turn(runId, 2)
    expect((await refusal(close(runId))).code).toBe('conflict')
    const [call] = await desk.calls(runId, 2)
    await desk.decide(desk.people.grace, call?.requestId ?? '')
    expect((await refusal(close(runId))).code).toBe('conflict')
    await desk.perform(turn)
    await cancelRun(desk.api, desk.people.ada.caller, { runId })
    // While a call of a person waits for somebody, the rest does not end either.
    const { runId: handed } = await talk({ worker: 'hand' })
    const { ada } = desk.people
    const { requestId } = await invokeTool(desk.api, ada.caller, {
      runId: handed,
      tool: 'write_file',
      input: { path: 'notes/by-hand.md', content: 'by hand\n' },
    })
    expect(await show(handed)).toMatchObject({ rest: 'answered', allowed: { close: false } })
    expect((await refusal(close(handed))).code).toBe('conflict')
    await letRestPass(handed)
    expect(await closeRun(desk.worker, { runId: handed })).toMatchObject({
      kind: 'rests',
      restsForMs: 60_000,
    })
    await desk.decide(desk.people.grace, requestId ?? '', { decision: 'deny' })
    await cancelRun(desk.api, ada.caller, { runId: handed })
  })

  test('and a message at the same moment end in one of two ways: the message is refused, or read', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { runId } = await talk()
      const [posted, closed] = await Promise.allSettled([post(runId), close(runId)])
      expect([posted.status, closed.status].toSorted()).toEqual(['fulfilled', 'rejected'])
      const state = posted.status === 'fulfilled' ? 'running' : 'completed'
      expect((await show(runId)).state).toBe(state)
      if (state === 'running') await cancelRun(desk.api, desk.people.ada.caller, { runId })
    }
  })
})

test('a message that is sent twice with one key is posted once', async () => {
  const { runId } = await talk()
  const first = await post(runId, 'Once', 'message-key')
  expect(await post(runId, 'Once', 'message-key')).toEqual(first)
  expect((await refusal(post(runId, 'Else', 'message-key'))).code).toBe('idempotency_key_reused')
  const rows = await sql`select from message where run_id = ${runId} and role = 'user'`.execute(
    desk.database.db,
  )
  expect(rows.rows).toHaveLength(2)
  await cancelRun(desk.api, desk.people.ada.caller, { runId })
})

// Rules: product.md 28
test('messages that two people write at once, during a turn, are read once each, in the order in which they were posted', async () => {
  const { runId } = await talk()
  const { ada, olga } = desk.people
  const texts = Array.from({ length: 10 }, (_, at) => [`ada ${at}`, `olga ${at}`]).flat()
  desk.say(...Array.from({ length: 3 }, () => ({ text: 'Read' })))
  await post(runId, 'First')
  await Promise.all([
    desk.turn(runId, 2),
    ...texts.map((text) =>
      messageRun(desk.api, (text.startsWith('ada') ? ada : olga).caller, { runId, text }),
    ),
  ])
  await desk.turn(runId, 3)
  const messages = (await loadTranscript(desk.database.db, runId)).filter(
    ({ role }) => role === 'user',
  )
  const sequences = messages.map(({ sequence }) => sequence)
  expect(messages.map(({ text }) => text).toSorted()).toEqual(
    ['Write the notes', 'First', ...texts].toSorted(),
  )
  expect(sequences).toEqual([...new Set(sequences)].toSorted((one, other) => one - other))
  expect(messages.filter(({ turn }) => turn === null)).toEqual([])
  await cancelRun(desk.api, ada.caller, { runId })
})

test('a run has a number, its task and the people it waits for, in lists too; its number finds it for people who may see it', async () => {
  desk.say({ calls: [aWrite('numbered\n')] })
  const { ada, grace, linus } = desk.people
  const input = { version: '1.2', secretWord: 'x' }
  const { runId } = await talk({ input })
  const run = await show(runId)
  const [request] = await desk.calls(runId, 1)
  expect(run).toMatchObject({
    task: { text: 'Secret word: x\nVersion: 1.2', by: { id: ada.id }, later: 0 },
    waitsFor: [
      {
        requestId: request?.requestId,
        expiresAt: expect.any(Date),
        effect: 'Edit notes/talk.md: 1 line added, 1 line removed',
        people: [
          { name: 'Grace', awayUntil: null },
          { name: 'Linus', awayUntil: null },
        ],
      },
    ],
  })
  const { items } = await listRuns(desk.api, ada.caller, { limit: 1 })
  expect(items[0]).toMatchObject({ id: runId, number: run.number, waitsFor: run.waitsFor })
  expect(await findRun(desk.api, ada.caller, String(run.number))).toBe(runId)
  expect(await findRun(desk.api, linus.caller, String(run.number))).toBe(runId)
  const { runId: unseen } = await talk()
  const { number } = await show(unseen)
  const refused = await refusal(findRun(desk.api, grace.caller, String(number)))
  expect([refused.code, refused.message]).toEqual([
    'not_found',
    `There is no run ${number} that you may see`,
  ])
  for (const id of [runId, unseen]) await cancelRun(desk.api, ada.caller, { runId: id })
  expect(await show(runId)).toMatchObject({ waitsFor: [] })
})

test('a person who has filled one of two places is no longer one of those for whom the run waits, not even if they started it', async () => {
  const { grace } = desk.people
  const own = 'platform: { team: platform, selfApproval: true }'
  const pairs = `routing:\n  - { when: { path: 'notes/**' }, quorum: { count: 2 } }\n`
  const config = deskConfig.replace('platform: { team: platform }', own)
  await desk.activate({ 'countersign.yaml': `${config}${pairs}` })
  desk.say({ calls: [aWrite('by two\n')] })
  const asking = { worker: 'scribe', input: 'Write the notes' }
  const { id: runId } = await startRun(desk.api, grace.caller, asking)
  await desk.turn(runId, 1)
  const namesOf = async () =>
    (await getRun(desk.api, grace.caller, runId)).waitsFor[0]?.people.map(({ name }) => name)
  expect(await namesOf()).toEqual(['Ada', 'Grace', 'Linus'])
  const [request] = await desk.calls(runId, 1)
  await desk.decide(grace, request?.requestId ?? '')
  expect(await namesOf()).toEqual(['Ada', 'Linus'])
  await cancelRun(desk.api, grace.caller, { runId })
  await desk.activate({ 'countersign.yaml': deskConfig })
})

import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import {
  deskConfig,
  deskWorker,
  openAgentDesk,
  type ModelStepCall,
} from '#test/harness/fixtures/agent-desk.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { rowOf, rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import { decideRequest } from './decide-request.ts'
import { cancelRun } from '../engine/lifecycle/cancel-run.ts'
import { getRequest } from '../requests/detail/get-request.ts'
import { listRequests } from '../requests/lists/list-requests.ts'
import { messageRun } from '../runs/message-run.ts'
import { startRun } from '../runs/starting/start-run.ts'
import { readTranscript } from '../runs/reading/transcript.ts'
import { answerQuestion } from './answer-question.ts'

let written = 0
const aWrite = { tool: 'write_file', input: { path: 'notes/new.md', content: 'new\n' } }
const open = { tool: 'ask_person', input: { question: 'Which branch?' } }
const choice = { tool: 'ask_person', input: { question: 'Which one?', choices: ['main', 'next'] } }

const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({
  'countersign.yaml': deskConfig,
  'workers/scribe.md': deskWorker.replace('zones:', 'tools: { ask_person: {} }\nzones:'),
})

beforeEach(() => {
  desk.steps.length = 0
  desk.executed.length = 0
  // A write of the same text as in an earlier test would be answered without a request.
  aWrite.input.content = `new ${(written += 1)}\n`
})

async function startWithCalls(...calls: readonly ModelStepCall[]) {
  desk.say({ calls })
  const { runId, turn } = await desk.startTurn()
  return { runId, turn, requests: (await desk.calls(runId, 1)).map((call) => call.requestId) }
}

function answer(person: TestPerson, request: string | undefined, text: string, key?: string) {
  const named = key === undefined ? {} : { idempotencyKey: key }
  return answerQuestion(desk.api, person.caller, { request: request ?? '', text, ...named })
}

function row(requestId: string | undefined) {
  return rowOf(desk.database.db, 'request', { id: requestId ?? '' })
}

async function answerers(requestId: string | undefined): Promise<string[]> {
  const rows = await rowsOf(
    desk.database.db,
    'request_principal',
    { request_id: requestId ?? '', why: 'answered' },
    'person_id',
  )
  return rows.map((one) => one.person_id)
}

describe('a question', () => {
  test('waits in the queue as a question that nobody can approve, and its answer is the result', async () => {
    const { runId, turn, requests } = await startWithCalls(open)
    const [question] = requests
    expect(await row(question)).toMatchObject({ kind: 'question', state: 'pending', risk: 'low' })
    // A question runs nothing: that the worker asks its first is no reason to look closely.
    const [revision] = await rowsOf(
      desk.database.db,
      'request_revision',
      { request_id: question ?? '' },
      'cues',
    )
    expect(revision?.cues ?? []).toEqual([])
    const { grace } = desk.people
    expect(await answer(grace, question, 'the "next" one')).toMatchObject({ state: 'approved' })
    await desk.perform(turn)
    const [call] = await desk.calls(runId, 1)
    expect(call?.result).toBe('output')
    expect(call?.text).toContain(JSON.stringify('the "next" one'))
    const transcript = await readTranscript(desk.api, desk.people.ada.caller, runId)
    expect(transcript.flatMap((item) => item.calls)[0]?.result?.output).toEqual({
      answer: 'the "next" one',
    })
    expect(await desk.auditTypes(runId)).toContain('decision.recorded')
    expect(await desk.turn(runId, 2)).toEqual({ kind: 'ended' })
  })

  test('issues no permit and leaves no execution, since nothing runs', async () => {
    const { requests } = await startWithCalls(open)
    await answer(desk.people.grace, requests[0], 'next')
    const { call_id: callId } = await row(requests[0])
    for (const table of ['permit', 'execution'] as const) {
      const rows = await desk.database.db
        .selectFrom(table)
        .select('call_id')
        .where('call_id', '=', callId)
        .execute()
      expect(rows).toEqual([])
    }
  })

  test('with choices takes one of them and nothing else', async () => {
    const { requests } = await startWithCalls(choice)
    const { grace } = desk.people
    expect((await refusal(answer(grace, requests[0], 'Main'))).code).toBe('invalid_request')
    expect((await row(requests[0])).state).toBe('pending')
    expect(await answer(grace, requests[0], 'main')).toMatchObject({ state: 'approved' })
  })

  test('sent twice with one key counts once; a second answer is refused with the name of the first person', async () => {
    const { requests } = await startWithCalls(open)
    const { grace, ada } = desk.people
    const first = await answer(grace, requests[0], 'next', 'key-1')
    expect(await answer(grace, requests[0], 'next', 'key-1')).toEqual(first)
    const late = await refusal(answer(grace, requests[0], 'main'))
    expect([late.code, late.facts['decidedBy']]).toEqual(['already_decided', 'Grace'])
    expect((await refusal(answer(ada, requests[0], 'main'))).code).toBe('already_decided')
  })

  test('puts the person who answers behind the requests that are opened afterwards, not before', async () => {
    const { runId, turn, requests } = await startWithCalls(open, aWrite)
    const { grace } = desk.people
    await answer(grace, requests[0], 'next')
    expect(await answerers(requests[1])).toEqual([])
    await desk.decide(grace, requests[1] ?? '')
    await desk.perform(turn)
    const later = await proposeCall(desk, runId, 2, {
      ...aWrite,
      input: { path: 'notes/2.md', content: '2\n' },
    })
    expect(await answerers(later.requestId)).toEqual([grace.id])
    const refused = await refusal(desk.decide(grace, later.requestId))
    expect(refused.message).toContain('you answered a question')
  })

  // Rules: security.md 29
  test('keeps that person behind the later requests when the answer is deleted from its table', async () => {
    const { runId, turn, requests } = await startWithCalls(open)
    const { grace } = desk.people
    await answer(grace, requests[0], 'next')
    await sql`delete from decision where request_id = ${requests[0]}`.execute(desk.database.db)
    await desk.perform(turn)
    const later = await proposeCall(desk, runId, 2, {
      ...aWrite,
      input: { path: 'notes/3.md', content: '3\n' },
    })
    const refused = await refusal(desk.decide(grace, later.requestId))
    expect(refused.message).toContain('you answered a question')
  })

  test('that nobody answers in time expires, and is cancelled with its run', async () => {
    const { runId, turn, requests } = await startWithCalls(open)
    await setRows(desk.database.db, 'request', { run_id: runId }, { expires_at: new Date(0) })
    expect((await refusal(answer(desk.people.grace, requests[0], 'next'))).code).toBe('expired')
    await desk.perform(turn)
    expect(await desk.calls(runId, 1)).toMatchObject([{ result: 'expired' }])
    const other = await startWithCalls(open)
    await cancelRun(desk.api, desk.people.ada.caller, { runId: other.runId })
    expect((await refusal(answer(desk.people.grace, other.requests[0], 'x'))).code).toBe(
      'cancelled',
    )
  })

  test('leaves the queue when an earlier call of its turn is denied with stop', async () => {
    const { runId, turn, requests } = await startWithCalls(aWrite, open)
    const { grace } = desk.people
    await desk.decide(grace, requests[0] ?? '', { decision: 'deny', then: 'stop' })
    expect(await row(requests[1])).toMatchObject({
      state: 'cancelled',
      cancel_reason: 'sibling_denied',
    })
    await desk.perform(turn)
    expect((await desk.calls(runId, 1)).map((call) => call.result)).toEqual(['denied', 'cancelled'])
  })
})

// Rules: product.md 30
describe('a person who may send the run messages', () => {
  test('answers its questions: its starter, and people who manage runs', async () => {
    const { ada, olga } = desk.people
    const { requests } = await startWithCalls(open)
    const request = await getRequest(desk.api, ada.caller, { request: requests[0] ?? '' })
    expect(request.eligibility.canDecide).toBe(true)
    expect(request.eligiblePeople.map(({ name }) => name)).toEqual(['Ada', 'Grace', 'Linus'])
    const list = await listRequests(desk.api, ada.caller, { mine: true, limit: 200 })
    expect(list.items.map(({ id }) => id)).toContain(requests[0])
    expect(await answer(ada, requests[0], 'next')).toMatchObject({ state: 'approved' })
    const { requests: others } = await startWithCalls(open)
    expect(await answer(olga, others[0], 'next')).toMatchObject({ state: 'approved' })
    const { items } = await listRequests(desk.api, ada.caller, { mine: true, limit: 200 })
    expect(items.map(({ id }) => id)).not.toContain(requests[0])
  })

  test('approves nothing by answering: the starter stays behind the requests of the run, and the other person joins those behind them', async () => {
    const { ada, olga } = desk.people
    const { runId, turn, requests } = await startWithCalls(open, aWrite)
    const again = await refusal(desk.decide(ada, requests[1] ?? ''))
    expect(again.facts['which']).toBe('behind_request')
    await answer(olga, requests[0], 'next')
    await desk.decide(desk.people.grace, requests[1] ?? '')
    await desk.perform(turn)
    const later = await proposeCall(desk, runId, 2, {
      ...aWrite,
      input: { path: 'notes/4.md', content: '4\n' },
    })
    expect(await answerers(later.requestId)).toEqual([olga.id])
    for (const who of [ada, olga]) {
      expect((await refusal(desk.decide(who, later.requestId))).code).toBe('not_eligible')
    }
  })

  test('is not a person whose name was written into the row of a run that is signed for another person', async () => {
    const { runId, requests } = await startWithCalls(open)
    const edsger = await addPerson(desk.database.db, 'Edsger the second', [])
    const write = async (starter: string): Promise<void> => {
      const { db } = desk.database
      await sql`update run set started_by = ${starter} where id = ${runId}`.execute(db)
      await sql`update request set owner_id = ${starter} where run_id = ${runId}`.execute(db)
    }
    await write(edsger.id)
    expect((await refusal(answer(edsger, requests[0], 'next'))).code).toBe('not_eligible')
    await write(desk.people.ada.id)
  })
})

describe('what is refused', () => {
  test('outsiders, machines, and whoever only wrote to the run', async () => {
    const { requests } = await startWithCalls(open)
    const edsger = await addPerson(desk.database.db, 'Edsger', [])
    expect((await refusal(answer(edsger, requests[0], 'next'))).code).toBe('not_found')
    const actor = { type: 'machine', id: 'k', name: 'k', ownerId: desk.people.ada.id } as const
    const machine = answerQuestion(
      desk.api,
      { actor, channel: 'api' },
      { request: requests[0] ?? '', text: 'next' },
    )
    expect((await refusal(machine)).code).toBe('not_eligible')
    expect((await row(requests[0])).state).toBe('pending')
  })

  test('empty words, NUL, half a character and more than 4,000 characters', async () => {
    const { requests } = await startWithCalls(open)
    for (const text of [' ', 'a\0b', '\ud800', 'x'.repeat(4001)]) {
      const refused = await refusal(answer(desk.people.grace, requests[0], text))
      expect(refused.code).toBe('invalid_request')
    }
  })

  test('deciding a question, and answering what is none', async () => {
    const { requests } = await startWithCalls(open, aWrite)
    const { grace } = desk.people
    const { digest } = await row(requests[0])
    for (const decision of ['approve', 'deny']) {
      const body = { decision, digest, revision: 1 }
      const decided = decideRequest(desk.api, grace.caller, { request: requests[0] ?? '', body })
      expect((await refusal(decided)).code).toBe('invalid_request')
    }
    expect((await refusal(answer(grace, requests[1], 'yes'))).code).toBe('invalid_request')
  })

  test('an approval that exists only in the row: nothing runs, and nothing is answered', async () => {
    const { runId, turn, requests } = await startWithCalls(open)
    await setRows(desk.database.db, 'request', { id: requests[0] ?? '' }, { state: 'approved' })
    await desk.perform(turn)
    expect(await desk.calls(runId, 1)).toMatchObject([{ result: 'error' }])
    expect(await desk.auditTypes(runId)).toContain('execution.refused')
    expect(desk.executed).toEqual([])
  })

  test('duplicate choices, a single choice, and unknown fields go back to the model', async () => {
    const { runId, requests } = await startWithCalls(
      { tool: 'ask_person', input: { question: 'q', choices: ['a', 'a'] } },
      { tool: 'ask_person', input: { question: 'q', choices: ['a'] } },
      { tool: 'ask_person', input: { question: ' ' } },
      { tool: 'ask_person', input: { question: 'q', to: 'ada' } },
    )
    expect(requests).toEqual(['', '', '', ''])
    const results = (await desk.calls(runId, 1)).map((call) => call.result)
    expect(results).toEqual(['error', 'error', 'error', 'error'])
  })
})

describe('run modes', () => {
  test('strict denies a question and names the mode', async () => {
    const runId = await desk.start({ mode: 'strict' })
    const call = await proposeCall(desk, runId, 1, open)
    expect(call).toMatchObject({ result: 'denied', requestId: '' })
    expect(call.text).toContain('strict')
  })

  test('approve_all still asks a person: a mode gives no answer', async () => {
    desk.say({ calls: [open] })
    const asking = { worker: 'scribe', input: 'Go', mode: 'approve_all' } as const
    const { id } = await startRun(desk.api, desk.people.olga.caller, asking)
    await desk.turn(id, 1)
    const [call] = await desk.calls(id, 1)
    expect(call?.requestId).not.toBe('')
    await answer(desk.people.grace, call?.requestId, 'next')
    expect((await desk.calls(id, 1))[0]?.result).toBe('output')
  })

  test('`approval: preApproved` in the worker file answers nothing either', async () => {
    const worker = deskWorker.replace(
      'zones:',
      'tools: { ask_person: { approval: preApproved } }\nzones:',
    )
    await desk.activate({ 'workers/scribe.md': worker })
    const { requests } = await startWithCalls(open)
    expect((await row(requests[0])).state).toBe('pending')
  })
})

test('a message to a run that waits for an answer does not take its place', async () => {
  const { runId, turn, requests } = await startWithCalls(open)
  await messageRun(desk.api, desk.people.ada.caller, { runId, text: 'next, I think' })
  expect(await desk.perform(turn)).toMatchObject([{ kind: 'wait', requestIds: [requests[0]] }])
})

import { beforeEach, describe, expect, test } from 'vitest'
import { writeCall } from '#test/harness/fixtures/runs/file-calls.ts'
import { refusedTo } from '#test/harness/fixtures/runs/refused-to.ts'
import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import type { TestPerson } from '#test/harness/fixtures/people.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { answerQuestion } from '../../decisions/answer-question.ts'
import { admitRun } from '../../engine/lifecycle/admit-run.ts'
import { messageRun } from '../message-run.ts'
import { startRun } from '../starting/start-run.ts'
import { forkRun, type ForkRunInput } from './fork-run.ts'

const desk = disposeAfterTests(await openAgentDesk())
const { ada, grace, linus, olga } = desk.people
// Olga may decide too, so that only what she did keeps her from it.
await desk.activate({
  'countersign.yaml': deskConfig.replace(
    'linus@example.com] }',
    'linus@example.com, olga@example.com] }',
  ),
  'workers/scribe.md': deskWorker.replace('zones:', 'tools: { ask_person: {} }\nzones:'),
  'workers/lead.md': deskWorker.replace('name: scribe', 'name: lead\nworkers: [scribe]'),
})

beforeEach(() => {
  desk.steps.length = 0
})

let written = 0
/** A request of the next turn of a run. */
async function askIn(runId: string, turn: number): Promise<string> {
  const path = `notes/${(written += 1)}.md`
  return (await proposeCall(desk, runId, turn, writeCall(path, `${path}\n`))).requestId
}

const fork = (runId: string, who: TestPerson, more: Partial<ForkRunInput> = {}) =>
  forkRun(desk.api, who.caller, { runId, text: 'Go on', ...more })

// Rules: product.md 17, 29, 30
describe('the people behind every request of a fork', () => {
  test('include the starter of the run above a child run that is forked, whoever forks it', async () => {
    const { id } = await startRun(desk.api, ada.caller, { worker: 'lead', input: 'Go' })
    const call = await proposeCall(desk, id, 1, {
      tool: 'call_worker',
      input: { worker: 'scribe', input: 'Go' },
    })
    await desk.decide(grace, call.requestId)
    const outcome = await desk.execute(call.id)
    if (outcome.kind !== 'wait') expect.fail(outcome.kind)
    const childId = outcome.requestIds[0] ?? ''
    expect(await admitRun(desk.api, { runId: childId })).toBe(true)
    desk.say({ text: 'Done.' })
    await desk.turn(childId, 1)
    const forked = await fork(childId, olga)
    const request = await askIn(forked.id, 2)
    expect(await refusedTo(desk, ada, request)).toContain('the run that this one was forked from')
    await refusedTo(desk, olga, request)
    await desk.decide(linus, request)
  })

  test('include everybody who answered a question of the old run or wrote to it, also after the turn at which it is forked', async () => {
    desk.say({ calls: [{ tool: 'ask_person', input: { question: 'Which branch?' } }] })
    const { id } = await startRun(desk.api, ada.caller, { worker: 'scribe', input: 'Go' })
    const turn = await desk.turn(id, 1)
    const [question] = await desk.calls(id, 1)
    const request = question?.requestId ?? ''
    await answerQuestion(desk.api, olga.caller, { request, text: 'main' })
    await desk.perform(turn)
    desk.say({ text: 'Main, then.' })
    await desk.turn(id, 2)
    for (const afterTurn of [1, 0]) {
      const forked = await fork(id, ada, { afterTurn })
      const request = await askIn(forked.id, afterTurn + 1)
      expect(await refusedTo(desk, olga, request)).toContain(
        'the run that this one was forked from',
      )
      await refusedTo(desk, ada, request)
      await desk.decide(linus, request)
    }
  })

  test('include everybody who wrote to the old run after the turn at which it is forked, in a fork of the fork too', async () => {
    desk.say({ text: 'First.' }, { text: 'Second.' })
    const task = { worker: 'scribe', input: 'Go', conversation: true }
    const { id } = await startRun(desk.api, ada.caller, task)
    await desk.turn(id, 1)
    await messageRun(desk.api, olga.caller, { runId: id, text: 'And then?' })
    await desk.turn(id, 2)
    const first = await fork(id, ada, { afterTurn: 1 })
    const second = await fork(first.id, ada, { afterTurn: 1 })
    for (const { id: runId } of [first, second]) {
      const request = await askIn(runId, 2)
      expect(await refusedTo(desk, olga, request)).toContain('forked from')
      await desk.decide(linus, request)
    }
  })

  test('include nobody who only approved requests of the old run', async () => {
    const { id } = await startRun(desk.api, ada.caller, { worker: 'scribe', input: 'Go' })
    await desk.decide(linus, await askIn(id, 1))
    const forked = await fork(id, ada, { afterTurn: 0 })
    const request = await askIn(forked.id, 1)
    await desk.decide(linus, request)
    const { state } = await rowOf(desk.database.db, 'request', { id: request })
    expect(state).toBe('approved')
  })
})

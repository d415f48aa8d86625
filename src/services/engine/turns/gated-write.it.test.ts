import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { closeRun } from '../lifecycle/close-run.ts'

const desk = disposeAfterTests(await openAgentDesk())
await desk.write('notes/1.md', 'one\n')

test('a read runs, a write waits for another person and then runs once, a delete is blocked', async () => {
  desk.say({
    text: 'I will look, write and tidy up.',
    calls: [
      { tool: 'read_file', input: { path: 'notes/1.md' } },
      { tool: 'write_file', input: { path: 'notes/2.md', content: 'two\n' } },
      { tool: 'delete_file', input: { path: 'notes/1.md' } },
    ],
  })
  const { runId, turn } = await desk.startTurn()
  if (turn.kind !== 'calls') throw new Error(turn.kind)
  expect(turn.calls.map((call) => call.step)).toEqual(['execute', 'wait', 'done'])
  expect(turn.nextDeadlineMs).toBeGreaterThan(3_600_000)

  const waiting = await desk.perform(turn)
  expect(waiting.map((outcome) => outcome.kind)).toEqual(['done', 'wait', 'done'])
  await expect(desk.read('notes/2.md')).rejects.toThrow('ENOENT')
  const [, write] = await desk.calls(runId, 1)
  if (write === undefined) throw new Error('no write')
  await expect(desk.decide(desk.people.ada, write.requestId)).rejects.toMatchObject({
    code: 'not_eligible',
  })
  await desk.decide(desk.people.grace, write.requestId)
  expect(await desk.execute(write.id)).toEqual({ kind: 'done' })
  expect(await desk.execute(write.id)).toEqual({ kind: 'done' })
  expect(await desk.read('notes/2.md')).toBe('two\n')
  expect(desk.executed).toEqual(['read_file', 'write_file'])

  const calls = await desk.calls(runId, 1)
  expect(calls.map((call) => [call.verdict, call.result])).toEqual([
    ['preApproved', 'output'],
    ['ask', 'output'],
    ['blocked', 'blocked'],
  ])
  expect(await desk.turn(runId, 2)).toEqual({ kind: 'ended' })
  const messages = desk.modelRequests.at(-1)?.messages ?? []
  expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool'])
  expect(await closeRun(desk.api, { runId })).toEqual({ kind: 'closed' })
  expect(await desk.auditTypes(runId)).toEqual(
    expect.arrayContaining([
      'run.started',
      'call.judged',
      'request.opened',
      'decision.refused',
      'decision.recorded',
      'permit.issued',
      'permit.consumed',
      'execution.started',
      'execution.finished',
      'run.ended',
    ]),
  )
})

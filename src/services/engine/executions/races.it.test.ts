import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { rowOf, rowsOf } from '#test/harness/fixtures/rows.ts'
import { Problem } from '#domain/problem.ts'
import { advanceRequests } from '../../requests/ending/advance-requests.ts'
import { cancelRun } from '../lifecycle/cancel-run.ts'
import { messageRun } from '../../runs/message-run.ts'

const desk = disposeAfterTests(await openAgentDesk())

const rounds = 10

test('decisions, denials that stop, cancels, messages and executions race without a deadlock, and no effect happens twice', async () => {
  for (let round = 0; round < rounds; round += 1) {
    desk.executed.length = 0
    const write = (name: string) => ({
      tool: 'write_file',
      input: { path: `notes/${round}-${name}.md`, content: name },
    })
    desk.say({ calls: [write('a'), write('b'), write('c')] })
    const { runId } = await desk.startTurn()
    const calls = await desk.calls(runId, 1)
    const { ada, grace } = desk.people
    const settled = await Promise.allSettled([
      ...calls.map((call) => desk.decide(grace, call.requestId)),
      desk.decide(grace, calls[1]?.requestId ?? '', { decision: 'deny', then: 'stop' }),
      ...calls.flatMap((call) => [desk.execute(call.id), desk.execute(call.id)]),
      messageRun(desk.api, ada.caller, { runId, text: 'Hurry up.' }),
      advanceRequests(desk.api, { runId }),
      desk.turn(runId, 2),
      ...(round % 2 === 0 ? [cancelRun(desk.api, ada.caller, { runId })] : []),
    ])
    const unexpected = settled.flatMap((one) =>
      one.status === 'rejected' && !(one.reason instanceof Problem) ? [one.reason as unknown] : [],
    )
    expect(unexpected).toEqual([])
    for (const call of calls) await desk.execute(call.id)
    const results = (await desk.calls(runId, 1)).map((call) => call.result)
    expect(results).not.toContain(null)
    const done = results.filter((result) => result === 'output').length
    expect(desk.executed.length).toBeLessThanOrEqual(3)
    expect(desk.executed.length).toBeGreaterThanOrEqual(done)
    const { pending_requests: pending } = await rowOf(desk.database.db, 'run', { id: runId })
    const open = await rowsOf(
      desk.database.db,
      'request',
      { run_id: runId, state: 'pending' },
      'id',
    )
    expect(pending).toBe(open.length)
  }
})

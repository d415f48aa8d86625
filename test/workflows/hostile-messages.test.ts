import { randomUUID } from 'node:crypto'
import proto from '@temporalio/proto'
import { describe, expect, it } from 'vitest'
import { decided } from '#workflows/messages.ts'
import { waitUntil } from '../harness/wait-until.ts'
import {
  hostilePayloads,
  payloadOf,
  rawSignal,
  taskFailures,
  untilTakenIn,
} from './hostile-client.ts'
import { decide, ScriptedStore, startScriptedRun, untilCalled } from './scripted-run.ts'

const { UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED: completed } =
  proto.temporal.api.enums.v1.UpdateWorkflowExecutionLifecycleStage

const signals = ['decided', 'called', 'childEnded', 'messaged', 'cancelRequested']

// Rules: security.md 31
describe('agentRun', () => {
  it('takes any payload in any signal for nothing, and carries the real decision out once', async () => {
    await using run = await startScriptedRun(new ScriptedStore([[{ requestId: 'a' }]]))
    const { client, handle } = run
    await untilCalled(run, 'takeTurn', 1)
    for (const [what, payloads] of hostilePayloads) {
      const large = payloads.length > 1000
      for (const name of large ? ['decided'] : signals) {
        await rawSignal(client, handle.workflowId, name, payloads)
      }
      await untilTakenIn(client, handle.workflowId)
      expect(await taskFailures(client, handle.workflowId), what).toEqual([])
    }
    // Ids of calls that a signal names are looked at: the store says what they are worth.
    const forged = run.store.journal.length
    expect(run.store.journal).not.toContain('0.0')
    await decide(run, 'a')
    await handle.result()
    expect(run.store.journal.slice(forged)).toEqual(['0.0'])
  }, 240_000)

  it('is moved by no signal of another name, no header, no update and no query', async () => {
    await using run = await startScriptedRun(new ScriptedStore([[{ requestId: 'a' }]]))
    const { client, handle } = run
    const { workflowId } = handle
    const { namespace } = client.options
    const garbage = payloadOf('binary/encrypted', Buffer.from([1]))
    const names = [
      'approve',
      '__proto__',
      'constructor',
      '__temporal_x',
      '__stack_trace',
      ' ',
      'ä'.repeat(300),
    ]
    for (const name of names) await rawSignal(client, workflowId, name, [garbage])
    const headers = { traceparent: garbage, __proto__: garbage, '': garbage, _tracer: {} }
    await rawSignal(client, workflowId, 'decided', [], headers)
    const updates = names.map((name) =>
      client.workflowService
        .updateWorkflowExecution({
          namespace,
          workflowExecution: { workflowId },
          waitPolicy: { lifecycleStage: completed },
          request: {
            meta: { updateId: randomUUID(), identity: 'somebody' },
            input: { name, args: { payloads: [garbage] }, header: { fields: { a: garbage } } },
          },
        })
        .then(
          (answer) => answer.outcome?.failure?.message ?? 'accepted',
          (error: unknown) => String(error),
        ),
    )
    const queries = names.map((queryType) =>
      client.workflowService
        .queryWorkflow({
          namespace,
          execution: { workflowId },
          query: { queryType, queryArgs: { payloads: [garbage] }, header: { fields: headers } },
        })
        .then(
          () => 'answered',
          () => 'refused',
        ),
    )
    for (const answer of await Promise.all(updates)) expect(answer).not.toBe('accepted')
    await Promise.all(queries)
    await untilTakenIn(client, workflowId)
    expect(await taskFailures(client, workflowId)).toEqual([])
    await decide(run, 'a')
    await handle.result()
    expect(run.store.journal).toEqual(['0.0'])
  }, 240_000)

  it('started by hand with any arguments and any memo ends or runs, and fails no task', async () => {
    await using run = await startScriptedRun(new ScriptedStore([]))
    const { client, store } = run
    const { namespace } = client.options
    const starts = [
      ...hostilePayloads.filter(([what]) => !/megabytes|150,000/.test(what)).map(([, one]) => one),
      [payloadOf('json/plain', '{"runId":7,"turn":"x"}')],
      [
        payloadOf(
          'json/plain',
          '{"runId":"run","turn":-1,"taskQueue":"/_sys/x","manualCalls":[1]}',
        ),
      ],
      [payloadOf('json/plain', '{"requestId":{"a":1}}')],
      [payloadOf('json/plain', '{"taskQueue":7,"questionHash":[]}')],
    ]
    const ids: string[] = []
    for (const payloads of starts) {
      for (const type of ['agentRun', 'approvalRequest', 'judge']) {
        const workflowId = `by-hand:${randomUUID()}`
        ids.push(workflowId)
        await client.workflowService.startWorkflowExecution({
          namespace,
          workflowId,
          workflowType: { name: type },
          taskQueue: { name: store.taskQueue },
          input: { payloads: [...payloads] },
          memo: { fields: { note: payloadOf('binary/encrypted', 'x'), empty: {} } },
          header: { fields: { a: payloadOf('json/plain', '{') } },
          requestId: randomUUID(),
          identity: 'somebody',
        })
      }
    }
    for (const id of ids) {
      await client.workflow
        .getHandle(id)
        .result()
        .catch(() => undefined)
      expect(await taskFailures(client, id)).toEqual([])
    }
  }, 240_000)

  it('asks again when a stranger has answered in the place of an activity', async () => {
    const answers: unknown[] = [7, { kind: 'done?' }]
    const store = new ScriptedStore([[{ requestId: 'a' }, {}]])
    store.deadlineMs = 1000
    const forge = <T>(real: T): T => (answers.shift() as T | undefined) ?? real
    const { activities } = store
    let begun = 0
    store.replaced = {
      beginRun: async (input) => {
        begun += 1
        const real = await activities.beginRun(input)
        return begun === 1 ? ('nonsense' as never) : real
      },
      executeCall: async (input) => forge(await activities.executeCall(input)),
    }
    await using run = await startScriptedRun(store)
    await waitUntil(() => store.activityCounts.get('executeCall') !== undefined || begun > 1)
    await decide(run, 'a')
    await run.handle.result()
    expect(begun).toBe(2)
    expect(new Set(store.journal)).toEqual(new Set(['0.0', '0.1']))
    expect(await taskFailures(run.client, run.handle.workflowId)).toEqual([])
  }, 240_000)
})

// Rules: security.md 31
describe('approvalRequest', () => {
  it('takes any payload for nothing, and still sees that its request has ended', async () => {
    const store = new ScriptedStore([])
    for (let look = 0; look < 300; look += 1) store.external.push({ nextDeadlineMs: 60_000 })
    await using run = await startScriptedRun(store, { external: true })
    const { client, handle } = run
    for (const [, payloads] of hostilePayloads.filter(([what]) => !what.startsWith('150,000'))) {
      await rawSignal(client, handle.workflowId, 'decided', payloads)
    }
    await untilTakenIn(client, handle.workflowId)
    expect(await taskFailures(client, handle.workflowId)).toEqual([])
    store.external.length = 0
    await handle.signal(decided, ['request'])
    await handle.result()
  }, 240_000)
})

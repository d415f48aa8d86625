import { randomUUID } from 'node:crypto'
import proto from '@temporalio/proto'
import { describe, expect, it } from 'vitest'
import type { NextTurn } from '#domain/runs/workflow-outcomes.ts'
import type { agentRun } from '#workflows/index.ts'
import { decided, cancelRequested, messaged } from '#workflows/messages.ts'
import { type Activities, turnQueueOf } from '#workflows/activity-port.ts'
import { waitUntil } from '../harness/wait-until.ts'
import {
  decide,
  ScriptedStore,
  startScriptedRun,
  untilCalled,
  type ScriptedRun,
} from './scripted-run.ts'

function countOf(run: ScriptedRun, name: keyof Activities): number {
  return run.store.activityCounts.get(name) ?? 0
}

/** From the first event that is one, up to the last: four whole steps of five. */
function between<T>(events: readonly T[], isOne: (event: T) => unknown): T[] {
  return events.slice(events.findIndex(isOne), events.findLastIndex(isOne))
}

/** What Temporal's own pages show beside an activity. */
function summaryOf(event: {
  readonly activityTaskScheduledEventAttributes?: unknown
  readonly userMetadata?: { readonly summary?: { readonly data?: Uint8Array | null } | null } | null
}): string[] {
  const data = event.userMetadata?.summary?.data
  return event.activityTaskScheduledEventAttributes && data
    ? [JSON.parse(Buffer.from(data).toString())]
    : []
}

describe('agentRun', () => {
  // Rules: product.md 15
  it('performs calls with effects in the order of the model, whatever the order of the decisions', async () => {
    await using run = await startScriptedRun(
      new ScriptedStore([[{ requestId: 'a' }, { requestId: 'b' }, {}]]),
    )
    await untilCalled(run, 'takeTurn', 1)
    await decide(run, 'b')
    await decide(run, 'a')
    await run.handle.result()
    expect(run.store.journal).toEqual(['0.0', '0.1', '0.2'])
    // The process is told ahead of each activity, and not while the history is replayed.
    expect(run.store.prepared).toEqual(['0.0', '0.1', '0.2'])
  })

  // Rules: product.md 15
  it('performs read-only calls before an earlier sibling that waits, but not past one with effects', async () => {
    await using run = await startScriptedRun(
      new ScriptedStore([[{ requestId: 'a' }, { readOnly: true }, {}, { readOnly: true }]]),
    )
    await waitUntil(() => run.store.journal.length === 1)
    expect(run.store.journal).toEqual(['0.1'])
    await decide(run, 'a')
    await run.handle.result()
    expect(run.store.journal).toEqual(['0.1', '0.0', '0.2', '0.3'])
  })

  it.each([{ listed: false }, { listed: true }])(
    'needs 10 events and 1.3 KB of history for a gated step (with search attributes: $listed)',
    async ({ listed }) => {
      const steps = Array.from({ length: 5 }, (_, turn) => ({
        requestId: `r${turn}`,
        queue: 'platform',
        tool: 'edit_file',
      }))
      await using run = await startScriptedRun(new ScriptedStore(steps.map((step) => [step])), {
        listed,
      })
      const isWaiting = async (): Promise<boolean> => {
        const { pendingActivities, pendingWorkflowTask } = (await run.handle.describe()).raw
        return (pendingActivities ?? []).length === 0 && !pendingWorkflowTask
      }
      for (let turn = 0; turn < 5; turn += 1) {
        await untilCalled(run, 'takeTurn', turn + 1)
        // A signal that comes before the run waits has its events elsewhere in the history.
        await waitUntil(isWaiting)
        await decide(run, `r${turn}`)
        await waitUntil(() => run.store.journal.length > turn)
      }
      await run.handle.result()
      const { events } = await run.handle.fetchHistory()
      const counted = between(
        events ?? [],
        (event) => event.workflowExecutionSignaledEventAttributes,
      )
      const bytes = proto.temporal.api.history.v1.History.encode({ events: counted }).finish()
        .length
      expect(counted.length / 4).toBe(10)
      expect(bytes / 4).toBeLessThanOrEqual(1.3 * 1024)
      // Temporal's own pages show which tool an activity is about, and which turn.
      expect((events ?? []).flatMap(summaryOf)).toEqual([
        'turn 0',
        ...Array.from({ length: 5 }, () => 'edit_file'),
      ])
    },
  )

  it('has a turn that failed within an execution taken once more, after the time that was asked for, and at once when it is cancelled', async () => {
    const store = new ScriptedStore([[{ requestId: 'a' }], [{}], [{}]])
    // Read as no turn; then one that comes too late for this test.
    const nonsense = { kind: 'calls', calls: 7, nextDeadlineMs: null } as unknown as NextTurn
    store.turnsWithExecutions = [nonsense, { kind: 'later', afterMs: 3_600_000 }]
    await using run = await startScriptedRun(store)
    await untilCalled(run, 'takeTurn', 1)
    await decide(run, 'a')
    await waitUntil(() => store.journal.length === 2)
    const turns = countOf(run, 'takeTurn')
    expect(turns).toBe(2)
    await run.handle.signal(cancelRequested)
    await run.handle.result()
    expect(countOf(run, 'takeTurn')).toBe(4)
    expect(store.journal).toEqual(['0.0', '1.0', '2.0'])
  })

  // Rules: product.md 15
  it.each([
    { refusal: 'nothing', queues: ['own'] },
    { refusal: 'a full slot', queues: ['own', 'turns'] },
    { refusal: 'nonsense that names a turn', queues: ['own', 'turns'] },
    { refusal: 'a failure', queues: ['own', 'turns'] },
  ])(
    'has the first turn taken on its own queue, and from the queue of turns after $refusal there',
    async ({ refusal, queues }) => {
      const store = new ScriptedStore([])
      const answers: Record<string, Activities['takeTurn']> = {
        'a full slot': async () => ({ kind: 'later', afterMs: 0 }),
        'nonsense that names a turn': async () => ({ kind: 'later', afterMs: -1 }),
        'a failure': async () => Promise.reject(new Error('a version without this activity')),
      }
      const answer = answers[refusal]
      if (answer !== undefined) store.turnHere = answer
      await using run = await startScriptedRun(store)
      await run.handle.result()
      expect(countOf(run, 'takeTurn')).toBe(1)
      const { events } = await run.handle.fetchHistory()
      const scheduled = (events ?? []).flatMap(
        ({ activityTaskScheduledEventAttributes: activity }) =>
          activity?.activityType?.name === 'takeTurn' ? [activity.taskQueue?.name] : [],
      )
      const names = { own: store.taskQueue, turns: turnQueueOf(store.taskQueue) }
      expect(scheduled).toEqual(queues.map((queue) => names[queue as keyof typeof names]))
    },
  )

  it('has the first turn taken from the queue of turns after 5 s, while executions keep its own queue busy', async () => {
    const store = new ScriptedStore([[{}]])
    const begun = Promise.withResolvers<void>()
    const execution = Promise.withResolvers<void>()
    store.onExecute = () => {
      begun.resolve()
      return execution.promise
    }
    await using run = await startScriptedRun(store, { maxActivities: 1 })
    await begun.promise
    const other = await run.client.workflow.start<typeof agentRun>('agentRun', {
      workflowId: `agent-run:${randomUUID()}`,
      taskQueue: store.taskQueue,
      args: [{ runId: 'other', turn: 0, taskQueue: store.taskQueue, short: true }],
    })
    try {
      await waitUntil(() => countOf(run, 'takeTurn') === 2, { withinMs: 30_000 })
      expect(store.journal).toEqual([])
    } finally {
      execution.resolve()
    }
    await run.handle.result()
    await other.result()
  })

  it('looks at the deadline of each wait, whether the timer of an earlier wait is due before it or behind it', async () => {
    const store = new ScriptedStore([
      [{ requestId: 'a' }],
      [{ requestId: 'b' }],
      [{ requestId: 'c' }],
    ])
    store.deadlineMs = 60_000
    await using run = await startScriptedRun(store)
    await untilCalled(run, 'takeTurn', 1)
    store.deadlineMs = 400
    await decide(run, 'a')
    await untilCalled(run, 'advanceRequests', 1)
    store.deadlineMs = 200
    // The store answers that nothing of `b` is due for a minute; deciding it leaves that timer.
    await decide(run, 'b')
    await untilCalled(run, 'advanceRequests', 2)
    await decide(run, 'c')
    await run.handle.result()
    expect(store.journal).toEqual(['0.0', '1.0', '2.0'])
    const { events } = await run.handle.fetchHistory()
    expect((events ?? []).filter((event) => event.timerFiredEventAttributes).length).toBe(2)
  })

  it('does not take the timer of an earlier wait, when it fires, for its own deadline', async () => {
    const store = new ScriptedStore([[{ requestId: 'a' }], [{ requestId: 'b' }]])
    // Long enough for the decision to come first on a busy machine.
    store.deadlineMs = 3000
    await using run = await startScriptedRun(store)
    const untilTimer = (attributes: 'timerStartedEventAttributes' | 'timerFiredEventAttributes') =>
      waitUntil(async () =>
        ((await run.handle.fetchHistory()).events ?? []).some((e) => e[attributes]),
      )
    await untilCalled(run, 'takeTurn', 1)
    store.deadlineMs = 60_000
    // A decision that comes before the run waits needs no timer.
    await untilTimer('timerStartedEventAttributes')
    await decide(run, 'a')
    await untilTimer('timerFiredEventAttributes')
    await untilCalled(run, 'takeTurn', 2)
    await decide(run, 'b')
    await run.handle.result()
    expect(store.activityCounts.has('advanceRequests')).toBe(false)
    expect(store.journal).toEqual(['0.0', '1.0'])
  })

  it.each([{ readOnly: false }, { readOnly: true }])(
    'continues as new while a call is tried again and again (readOnly: $readOnly), since the server ends a workflow whose history is too long',
    async ({ readOnly }) => {
      const store = new ScriptedStore([[{ readOnly }, { readOnly }]])
      let tries = 0
      let isAway = true
      store.onExecute = async () => {
        tries += 1
        if (isAway) throw new Error('the host is away')
      }
      await using run = await startScriptedRun(store)
      const { workflowId, runId } = await run.handle.describe()
      await waitUntil(() => tries > 0)
      // The server suggests it beyond 4 MiB.
      const large = 'x'.repeat(256 * 1024)
      for (let sent = 0; sent < 20; sent += 1) await run.handle.signal('decided', large)
      const first = run.client.workflow.getHandle(workflowId, runId)
      await waitUntil(async () => (await first.describe()).status.name === 'CONTINUED_AS_NEW')
      isAway = false
      await run.handle.result()
      expect(store.journal.toSorted()).toEqual(['0.0', '0.1'])
    },
  )

  it('is changed by no forged, doubled, early or late signal, nor by one with nonsense in it', async () => {
    await using run = await startScriptedRun(new ScriptedStore([[{ requestId: 'a' }], []]))
    await run.handle.signal(decided, ['a'])
    await untilCalled(run, 'takeTurn', 1)
    await run.handle.signal(decided, ['somebody-elses', 'a', 'a'])
    await run.handle.signal('decided', 'not a list')
    await run.handle.signal('decided', { length: 3 })
    await run.handle.signal('unheard-of', 1)
    await run.handle.signal(cancelRequested)
    await run.handle.signal(messaged)
    await untilCalled(run, 'executeCall', 1)
    expect(run.store.journal).toEqual([])
    await decide(run, 'a')
    await decide(run, 'a')
    await run.handle.result()
    expect(run.store.journal).toEqual(['0.0'])
  })

  it('takes a cancellation of the workflow from outside for a wake-up only', async () => {
    await using run = await startScriptedRun(new ScriptedStore([[{ requestId: 'a' }]]))
    await untilCalled(run, 'takeTurn', 1)
    await run.handle.cancel()
    await untilCalled(run, 'executeCall', 1)
    expect(run.store.journal).toEqual([])
    await decide(run, 'a')
    await run.handle.result()
    expect(run.store.journal).toEqual(['0.0'])
  })

  it('ends when the store says that the run is cancelled', async () => {
    await using run = await startScriptedRun(new ScriptedStore([[{ requestId: 'a' }]]))
    await untilCalled(run, 'takeTurn', 1)
    run.store.cancelled = true
    await run.handle.signal(cancelRequested)
    await run.handle.result()
    expect(run.store.journal).toEqual([])
  })

  it('waits for a message and reads it, also when it came before the wait', async () => {
    const store = new ScriptedStore([])
    store.endsWith = 'waiting_for_input'
    await using run = await startScriptedRun(store)
    await untilCalled(run, 'takeTurn', 1)
    store.messagesUnread = 1
    await run.handle.signal(messaged)
    await run.handle.result()
  })

  it('performs every call once when no workflow is kept in memory and each wake replays', async () => {
    await using run = await startScriptedRun(
      new ScriptedStore([[{ requestId: 'a' }, { readOnly: true }], [{ requestId: 'b' }]]),
      { maxCachedWorkflows: 0 },
    )
    await untilCalled(run, 'takeTurn', 1)
    await decide(run, 'a')
    await untilCalled(run, 'takeTurn', 2)
    await decide(run, 'b')
    await run.handle.result()
    expect(run.store.journal.toSorted()).toEqual(['0.0', '0.1', '1.0'])
  })
})

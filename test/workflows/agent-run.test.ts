import { temporal } from '@temporalio/proto'
import { describe, expect, it } from 'vitest'
import { decided, cancelRequested, messaged } from '#workflows/messages.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { ScriptedStore, startScriptedRun, type ScriptedRun } from './scripted-run.ts'

async function decide(run: ScriptedRun, ...requestIds: string[]): Promise<void> {
  for (const id of requestIds) run.store.decided.add(id)
  await run.handle.signal(decided, requestIds)
}

function asked(run: ScriptedRun, name: 'executeCall' | 'takeTurn'): number {
  return run.store.asked.get(name) ?? 0
}

async function untilAsked(run: ScriptedRun, name: 'executeCall' | 'takeTurn', times: number) {
  await waitUntil(() => asked(run, name) >= times, { withinMs: 90_000 })
}

/** From the first event that is one, up to the last: four whole steps of five. */
function between<T>(events: readonly T[], isOne: (event: T) => unknown): T[] {
  return events.slice(events.findIndex(isOne), events.findLastIndex(isOne))
}

describe('agentRun', () => {
  // Rules: product.md 15
  it('performs calls with effects in the order of the model, whatever the order of the decisions', async () => {
    await using run = await startScriptedRun(
      new ScriptedStore([[{ requestId: 'a' }, { requestId: 'b' }, {}]]),
    )
    await untilAsked(run, 'takeTurn', 1)
    await decide(run, 'b')
    await decide(run, 'a')
    await run.handle.result()
    expect(run.store.journal).toEqual(['0.0', '0.1', '0.2'])
  })

  // Rules: product.md 15
  it('performs read-only calls before an earlier sibling that waits, but not past one with effects', async () => {
    await using run = await startScriptedRun(
      new ScriptedStore([[{ requestId: 'a' }, { readOnly: true }, {}, { readOnly: true }]]),
    )
    await waitUntil(() => run.store.journal.length === 1, { withinMs: 90_000 })
    expect(run.store.journal).toEqual(['0.1'])
    await decide(run, 'a')
    await run.handle.result()
    expect(run.store.journal).toEqual(['0.1', '0.0', '0.2', '0.3'])
  })

  it.each([
    { listed: false, most: 18 },
    // It begins to wait, and goes on.
    { listed: true, most: 20 },
  ])(
    'needs at most $most events and 3.5 KB of history for a gated step (with search attributes: $listed)',
    async ({ listed, most }) => {
      const steps = Array.from({ length: 5 }, (_, turn) => ({
        requestId: `r${turn}`,
        queue: 'platform',
      }))
      await using run = await startScriptedRun(new ScriptedStore(steps.map((step) => [step])), {
        listed,
      })
      const isWaiting = async (): Promise<boolean> => {
        const { events } = await run.handle.fetchHistory()
        return events?.at(-1)?.timerStartedEventAttributes != null
      }
      for (let turn = 0; turn < 5; turn += 1) {
        await untilAsked(run, 'takeTurn', turn + 1)
        // A signal that comes before the run waits has its events elsewhere in the history.
        await waitUntil(isWaiting, { withinMs: 90_000 })
        await decide(run, `r${turn}`)
        await waitUntil(() => run.store.journal.length > turn, { withinMs: 90_000 })
      }
      await run.handle.result()
      const { events } = await run.handle.fetchHistory()
      const counted = between(
        events ?? [],
        (event) => event.workflowExecutionSignaledEventAttributes,
      )
      const bytes = temporal.api.history.v1.History.encode({ events: counted }).finish().length
      expect(counted.length / 4).toBeLessThanOrEqual(most)
      expect(bytes / 4).toBeLessThanOrEqual(3.5 * 1024)
    },
  )

  it('is changed by no forged, doubled, early or late signal, nor by one with nonsense in it', async () => {
    await using run = await startScriptedRun(new ScriptedStore([[{ requestId: 'a' }], []]))
    await run.handle.signal(decided, ['a'])
    await untilAsked(run, 'takeTurn', 1)
    await run.handle.signal(decided, ['somebody-elses', 'a', 'a'])
    await run.handle.signal('decided', 'not a list')
    await run.handle.signal('decided', { length: 3 })
    await run.handle.signal('unheard-of', 1)
    await run.handle.signal(cancelRequested)
    await run.handle.signal(messaged)
    await untilAsked(run, 'executeCall', 1)
    expect(run.store.journal).toEqual([])
    await decide(run, 'a')
    await decide(run, 'a')
    await run.handle.result()
    expect(run.store.journal).toEqual(['0.0'])
  })

  it('takes a cancellation of the workflow from outside for a wake-up only', async () => {
    await using run = await startScriptedRun(new ScriptedStore([[{ requestId: 'a' }]]))
    await untilAsked(run, 'takeTurn', 1)
    await run.handle.cancel()
    await untilAsked(run, 'executeCall', 1)
    expect(run.store.journal).toEqual([])
    await decide(run, 'a')
    await run.handle.result()
    expect(run.store.journal).toEqual(['0.0'])
  })

  it('ends when the store says that the run is cancelled', async () => {
    await using run = await startScriptedRun(new ScriptedStore([[{ requestId: 'a' }]]))
    await untilAsked(run, 'takeTurn', 1)
    run.store.cancelled = true
    await run.handle.signal(cancelRequested)
    await run.handle.result()
    expect(run.store.journal).toEqual([])
  })

  it('waits for a message and reads it, also when it came before the wait', async () => {
    const store = new ScriptedStore([])
    store.endsWith = 'waiting_for_input'
    await using run = await startScriptedRun(store)
    await untilAsked(run, 'takeTurn', 1)
    store.messagesUnread = 1
    await run.handle.signal(messaged)
    await run.handle.result()
  })

  it('performs every call once when no workflow is kept in memory and each wake replays', async () => {
    await using run = await startScriptedRun(
      new ScriptedStore([[{ requestId: 'a' }, { readOnly: true }], [{ requestId: 'b' }]]),
      { maxCachedWorkflows: 0 },
    )
    await untilAsked(run, 'takeTurn', 1)
    await decide(run, 'a')
    await untilAsked(run, 'takeTurn', 2)
    await decide(run, 'b')
    await run.handle.result()
    expect(run.store.journal.toSorted()).toEqual(['0.0', '0.1', '1.0'])
  })
})

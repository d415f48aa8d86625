import proto from '@temporalio/proto'
import { expect, test } from 'vitest'
import { waitUntil } from '../harness/wait-until.ts'
import { conversation, post } from './scripted-conversation.ts'
import { startScriptedRun, type ScriptedRun } from './scripted-run.ts'

const week = 7 * 86_400_000
async function eventsOf(handle: ScriptedRun['handle']) {
  return (await handle.fetchHistory()).events ?? []
}

const closed = ({ store }: ScriptedRun): number => store.activityCounts.get('closeRun') ?? 0

// Rules: product.md 28
test('a turn of a conversation takes at most 14 events of 1,500 bytes in all, and one activity', async () => {
  await using run = await startScriptedRun(conversation(week))
  const { store, handle } = run
  const turns = 5
  for (let turn = 0; turn <= turns; turn += 1) {
    await waitUntil(() => store.journal.length > turn, { everyMs: 5 })
    await waitUntil(
      async () => (await eventsOf(handle)).at(-1)?.timerStartedEventAttributes != null,
    )
    if (turn < turns) await post(run)
  }
  const events = await eventsOf(handle)
  const first = events.findIndex((event) => event.timerStartedEventAttributes != null)
  expect((events.length - first) / turns).toBeLessThanOrEqual(14)
  const history = proto.temporal.api.history.v1.History.encode({ events: events.slice(first) })
  expect(history.finish().length / turns).toBeLessThanOrEqual(1500)
  expect(store.activityCounts.get('takeTurn')).toBe(turns + 1)
  expect(closed(run)).toBe(0)
})

// Rules: product.md 28
test('the timer of a rest only proposes its end: the store is asked, and asked again until it agrees', async () => {
  const store = conversation(50)
  store.closes.push(
    { kind: 'rests', turn: 1, restsForMs: 50 },
    { kind: 'rests', turn: 1, restsForMs: 1 },
  )
  await using run = await startScriptedRun(store)
  await run.handle.result()
  expect(closed(run)).toBe(3)
  expect(store.journal).toEqual(['turn 0'])
})

test('a message that comes as the rest ends is read: the store says that the run goes on', async () => {
  const store = conversation(50)
  store.closes.push({ kind: 'continue' })
  await using run = await startScriptedRun(store)
  await run.handle.result()
  expect(run.store.activityCounts.get('takeTurn')).toBe(2)
  expect(closed(run)).toBe(2)
})

test('an answer about a rest that makes no sense is asked for again, and ends nothing', async () => {
  const store = conversation(20)
  let forged = 0
  store.replaced = {
    closeRun: async () => {
      forged += 1
      return forged === 1 ? { kind: 'rests', turn: -1, restsForMs: Number.NaN } : { kind: 'closed' }
    },
  }
  await using run = await startScriptedRun(store)
  await run.handle.result()
  expect(forged).toBe(2)
})

import { expect, test } from 'vitest'
import { decided } from '#workflows/messages.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { seededChoices, type Choices } from '../../shell/seeded.ts'
import { payloadOf, rawSignal, taskFailures, untilTakenIn } from '../../workflows/hostile-client.ts'
import { ScriptedStore, startScriptedRun } from '../../workflows/scripted-run.ts'
import { seedOfRun } from '../seed-of-run.ts'

const rounds = 100
const signalsARound = 50

const encodings = [
  'json/plain',
  'binary/null',
  'binary/plain',
  'binary/encrypted',
  'json/protobuf',
  '',
  null,
]
const texts = [
  '[]',
  '["a"]',
  '{',
  'null',
  '"a"',
  '[1,[2]]',
  '{"__proto__":[]}',
  '\\u0000',
  '[[[[',
  '',
]
const names = [
  'decided',
  'called',
  'childEnded',
  'messaged',
  'approve',
  '__proto__',
  '__temporal_y',
]

function anyPayload(choose: Choices) {
  const bytes = choose.percent(50)
    ? Buffer.from(choose.one(texts))
    : Buffer.from(Array.from({ length: choose.number(64) }, () => choose.number(256)))
  return choose.percent(5) ? {} : payloadOf(choose.one(encodings), bytes)
}

// Rules: security.md 31
test('5,000 random signals fail no workflow task, and the real decision is carried out once', async () => {
  const seed = seedOfRun()
  const choose = seededChoices(seed)
  await using run = await startScriptedRun(new ScriptedStore([[{ requestId: 'real' }]]))
  const { client, handle, store } = run
  await waitUntil(() => store.activityCounts.get('takeTurn') === 1)
  for (let round = 0; round < rounds; round += 1) {
    const signals = Array.from({ length: signalsARound }, () => ({
      name: choose.one(names),
      payloads: Array.from({ length: choose.number(4) }, () => anyPayload(choose)),
      headers: { [choose.one(['traceparent', 'x'])]: anyPayload(choose) },
    }))
    await Promise.all(
      signals.map(({ name, payloads, headers }) =>
        rawSignal(client, handle.workflowId, name, payloads, headers),
      ),
    )
    if (round % 10 !== 9) continue
    await untilTakenIn(client, handle.workflowId)
    expect(await taskFailures(client, handle.workflowId), `SEED=${seed}`).toEqual([])
  }
  expect(store.journal).not.toContain('0.0')
  store.decided.add('real')
  await handle.signal(decided, ['real'])
  await handle.result()
  expect(store.journal.filter((one) => one === '0.0')).toEqual(['0.0'])
}, 300_000)

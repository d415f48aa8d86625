import { expect, test } from 'vitest'
import { uiMessageChunkSchema } from 'ai'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { slowModel } from '../../harness/fixtures/models/slow-model.ts'
import { ModelProblem } from '#models/model.ts'
import { openDeskApi } from '../desk-api.ts'
import type { Client } from '../test-api.ts'

const api = disposeAfterTests(await openDeskApi())
const ada = await api.signIn('ada')
const linus = await api.signIn('linus')

interface Frame {
  readonly id: string
  // eslint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  readonly part: any
}

/** Opens the stream of a run and collects its frames. */
async function listen(client: Client, runId: string, after?: string) {
  const leave = new AbortController()
  const response = await fetch(`${api.url}/v1/runs/${runId}/stream`, {
    headers: { ...client.headers, ...(after === undefined ? {} : { 'last-event-id': after }) },
    signal: leave.signal,
  })
  const reader = {
    status: response.status,
    headers: response.headers,
    frames: [] as Frame[],
    ended: false,
    leave: () => leave.abort(),
    types: () => reader.frames.map(({ part }) => part.type ?? part),
    text: () => reader.frames.map(({ part }) => part.delta ?? '').join(''),
    has: (type: string) => waitUntil(async () => reader.types().includes(type), { everyMs: 5 }),
    end: () => waitUntil(async () => reader.ended, { everyMs: 5 }),
  }
  const reading = async (): Promise<void> => {
    const decoder = new TextDecoder()
    let all = ''
    for await (const chunk of response.body ?? []) {
      all += decoder.decode(chunk, { stream: true })
      const blocks = all.split('\n\n').slice(0, -1)
      reader.frames = blocks.flatMap((block) => {
        const id = /^id: (.*)$/m.exec(block)?.[1]
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (data === undefined) return []
        return [{ id: id ?? 'none', part: data === '[DONE]' ? data : JSON.parse(data) }]
      })
    }
    reader.ended = true
  }
  reading().catch(() => undefined)
  return reader
}

test('text reaches a reader while the model writes, within 300 ms, and the stored message follows it without a seam', async () => {
  const { desk } = api
  const model = slowModel([
    { id: 'a', tool: 'write_file', input: { path: 'notes/a.md', content: 'x' } },
    { id: 'b', tool: 'delete_file', input: { path: 'notes/b.md' } },
  ])
  desk.say(model.step)
  const runId = await desk.start()
  const reader = await listen(ada, runId)
  expect(reader.status).toBe(200)
  expect(reader.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
  expect(reader.headers.get('content-type')).toContain('text/event-stream')
  const turn = desk.turn(runId, 1)
  await model.say('I write ')
  await reader.has('text-delta')
  const delays: number[] = []
  for (const word of ['the ', 'notes ', '\ud83d', '\udcdd\0 ', 'now.']) {
    const at = performance.now()
    const length = reader.text().length + word.length
    await model.say(word)
    await waitUntil(async () => reader.text().length >= length, { everyMs: 5 })
    delays.push(performance.now() - at)
  }
  // The machine may be busy, so the shortest delay counts.
  expect(Math.min(...delays)).toBeLessThan(300)
  expect(reader.text()).toBe('I write the notes \ud83d\udcdd\0 now.')
  expect(reader.types()).not.toContain('text-end')
  await model.say(' Then I stop.')
  model.end()
  const outcome = await turn
  await reader.has('tool-output-error')
  expect(reader.text()).toBe('I write the notes \ud83d\udcdd\0 now. Then I stop.')
  const calls = await desk.calls(runId, 1)
  const types = ['tool-input-available', 'tool-input-available', 'tool-approval-request']
  expect(reader.types().filter((type) => type !== 'text-delta')).toEqual([
    'start',
    'start-step',
    'text-start',
    'text-end',
    ...types,
    'tool-output-error',
  ])
  expect(reader.frames.find(({ part }) => part.type === 'tool-approval-request')?.part).toEqual({
    type: 'tool-approval-request',
    approvalId: calls[0]?.requestId,
    toolCallId: 'a',
  })
  expect(reader.ended).toBe(false)
  // Nothing of it is left behind, and none of it counts.
  expect(await desk.database.db.selectFrom('live_text').selectAll().execute()).toEqual([])

  await desk.decide(desk.people.grace, calls[0]?.requestId ?? '')
  await desk.perform(outcome)
  await reader.has('tool-output-available')
  desk.say({ text: 'Done.' })
  await desk.turn(runId, 2)
  await reader.end()
  const last = ['text-delta', 'text-end', 'finish-step', 'finish', '[DONE]']
  expect(reader.types().slice(-5)).toEqual(last)
  expect(reader.frames.every(({ id }) => id !== 'none')).toBe(true)
  for (const { part } of reader.frames) {
    if (part === '[DONE]') continue
    expect(await uiMessageChunkSchema().validate?.(part)).toMatchObject({ success: true })
  }

  // From each position the stream repeats exactly the rest; after the end there is nothing.
  const all = reader.frames
  for (const at of [0, 2, 4, all.length - 6, all.length - 2]) {
    const again = await listen(ada, runId, all[at]?.id)
    await again.end()
    const rest = all.slice(at + 1)
    expect(again.text()).toBe(rest.map(({ part }) => part.delta ?? '').join(''))
    // Results that exist already are sent in the order of their calls.
    const without = (frames: readonly Frame[]): readonly string[] =>
      frames
        .filter(({ part }) => part.type !== 'text-delta')
        .map(({ part }) => JSON.stringify(part))
        .toSorted()
    expect(without(again.frames)).toEqual(without(rest))
  }
  expect((await listen(ada, runId, all.at(-1)?.id)).status).toBe(204)
  expect((await listen(ada, runId)).status).toBe(204)
})

test('text of a failed attempt, or of a process that died, is withdrawn', async () => {
  const { desk } = api
  const [failing, dying, last] = [slowModel(), slowModel(), slowModel()]
  desk.say(failing.step, dying.step, last.step)
  const runId = await desk.start()
  const reader = await listen(ada, runId)
  const turn = desk.turn(runId, 1)
  await failing.say('Once upon')
  await reader.has('text-delta')
  failing.end(new ModelProblem('The provider broke off.', { isRetryable: true }))
  await expect(turn).rejects.toThrow('broke off')
  await reader.has('reset-step')
  void desk.turn(runId, 1).catch(() => undefined)
  await dying.say('Twice upon')
  await waitUntil(async () => reader.text().endsWith('Twice upon'))
  // The second is not sent again: the third begins while it still hangs.
  const third = desk.turn(runId, 1)
  await last.say('In the end')
  await waitUntil(async () => reader.text().endsWith('In the end'))
  await dying.say(' nobody listens')
  last.end()
  await third
  await reader.end()
  const starts = reader.frames.filter(({ part }) => part.type === 'text-start')
  expect(starts.map(({ part }) => part.id)).toEqual(['1.1', '1.2', '1.3'])
  expect(reader.types().filter((type) => type === 'reset-step')).toHaveLength(2)
  const frames = reader.frames.slice(reader.types().lastIndexOf('reset-step'))
  expect(frames.map(({ part }) => part.delta ?? '').join('')).toBe('In the end')
  dying.end()
  expect(await desk.database.db.selectFrom('live_text').selectAll().execute()).toEqual([])
})

test('a run is streamed to nobody who may not see it, and no longer than they may', async () => {
  const { desk } = api
  const model = slowModel()
  desk.say(model.step)
  const runId = await desk.start()
  const turn = desk.turn(runId, 1)
  expect(await linus.get(`/v1/runs/${runId}/stream`)).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  })
  expect((await api.ask(`/v1/runs/${runId}/stream`)).status).toBe(401)
  expect((await ada.get(`/v1/runs/${runId}/stream`, { 'last-event-id': '7' })).body).toMatchObject({
    code: 'invalid_request',
  })
  const leaver = await api.signIn('ada')
  const reader = await listen(leaver, runId)
  await model.say('Secret')
  await reader.has('text-delta')
  await leaver.post('/v1/auth/logout')
  const before = performance.now()
  await waitUntil(
    async () => {
      await model.say(' more')
      return reader.ended
    },
    { everyMs: 200 },
  )
  expect(performance.now() - before).toBeLessThan(10_000)
  model.end()
  await turn
})

test('a session holds at most 20 streams of events and runs together: its oldest makes room', async () => {
  const { desk } = api
  const runId = await desk.start()
  const reader = await api.signIn('ada')
  const first = await listen(reader, runId)
  const others = []
  for (let count = 0; count < 20; count += 1) others.push(await listen(reader, runId))
  await first.end()
  expect(others.every(({ ended }) => !ended)).toBe(true)
  for (const other of others) other.leave()
})

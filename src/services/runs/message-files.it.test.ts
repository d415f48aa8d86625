import { beforeEach, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { onePixel } from '#test/harness/fixtures/result-with-files.ts'
import { rowOf, rowsOf } from '#test/harness/fixtures/rows.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { limits } from '#domain/limits.ts'
import { getRequest } from '../requests/detail/get-request.ts'
import { clearTranscript } from '../retention/clear-transcript.ts'
import { cancelRun } from '../engine/lifecycle/cancel-run.ts'
import type { SentFile } from '../transcript/sent-files.ts'
import { forkRun } from './forking/fork-run.ts'
import { messageRun } from './message-run.ts'
import { readMessageFile } from './reading/read-message-file.ts'
import { readTranscript } from './reading/transcript.ts'
import { startRun } from './starting/start-run.ts'
import { trailOf } from '#test/harness/fixtures/trail.ts'

const endpoint = (name: string, more: string): string =>
  `  ${name}: { provider: openai-compatible, baseUrl: "http://127.0.0.1:9/v1"${more} }\n`
const workerOf = (name: string, model: string, more = ''): string =>
  deskWorker.replace('name: scribe', `name: ${name}${more}`).replace(/model: .*/, `model: ${model}`)

const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({
  'countersign.yaml': `${deskConfig}models:
${endpoint('blind', '')}${endpoint('sees', ', pictures: true')}  scripted-by-the-test: { context: 9000 }
`,
  'workers/blind.md': workerOf('blind', 'blind:one'),
  'workers/sees.md': workerOf('sees', 'sees:one'),
  'workers/asks.md': workerOf('asks', 'sees:one', '\nstartApproval: ask'),
})

beforeEach(() => {
  desk.steps.length = 0
  desk.modelRequests.length = 0
})

const file = (name: string, mediaType: string, bytes: Buffer | string): SentFile => ({
  name,
  mediaType,
  data: Buffer.from(bytes).toString('base64'),
})
const png = file('page.png', 'image/png', onePixel)
const text = file('notes.txt', 'text/plain', 'Use "yarn".\n')
const png2 = file('two.png', 'image/png', Buffer.concat([onePixel, Buffer.from('2')]))

const caller = () => desk.people.ada.caller
const start = (files: readonly SentFile[], worker = 'scribe', input = 'Look at this') =>
  startRun(desk.api, caller(), { worker, input, files, conversation: true })
const say = (runId: string, words: string, files: readonly SentFile[]) =>
  messageRun(desk.api, caller(), { runId, text: words, files })
const pictures = () =>
  desk.modelRequests
    .at(-1)
    ?.messages.map((one) => (one.role === 'user' ? (one.pictures ?? []) : []))
const hashOf = async (runId: string): Promise<string> => {
  const [first] = await readTranscript(desk.api, caller(), runId)
  return first?.files?.[0]?.hash ?? ''
}

describe('files of a message', () => {
  test('reach the model with the task: a picture as a picture, a text as quoted data', async () => {
    const { id } = await start([png, text])
    await desk.turn(id, 1)
    const [message] = desk.modelRequests[0]?.messages ?? []
    expect(message).toMatchObject({
      role: 'user',
      text: expect.stringMatching(
        /^Look at this\n\nAttached files:\n- page\.png \(70 bytes, sha256:[^)]+\): a picture \(image\/png\), with this message\n- notes\.txt \(.*its content as quoted data: "Use \\"yarn\\"\.\\n"$/,
      ),
      pictures: [{ mediaType: 'image/png', bytes: onePixel }],
    })
    const [first] = await readTranscript(desk.api, caller(), id)
    expect(first?.files).toMatchObject([
      { name: 'page.png', mediaType: 'image/png', bytes: 70 },
      { name: 'notes.txt', mediaType: 'text/plain', bytes: 12 },
    ])
  })

  test('reach it with a later message too, and stay in every turn after', async () => {
    const { id } = await start([])
    await desk.turn(id, 1)
    await say(id, 'And this', [png])
    await desk.turn(id, 2)
    await say(id, 'Go on', [])
    await desk.turn(id, 3)
    const files = pictures()?.flat() ?? []
    expect(files).toEqual([{ mediaType: 'image/png', bytes: onePixel }])
    const [event] = await trailOf(desk.database.db, { run: id }, 'run.messaged')
    expect(event?.document).toContain(await hashOfMessage(id))
  })

  test('are posted once for one key, and different files with that key are refused', async () => {
    const { id } = await start([])
    const keyed = { runId: id, text: 'Look', files: [png], idempotencyKey: 'one' }
    const first = await messageRun(desk.api, caller(), keyed)
    expect(await messageRun(desk.api, caller(), keyed)).toEqual(first)
    const other = await refusal(messageRun(desk.api, caller(), { ...keyed, files: [png2] }))
    expect(other.code).toBe('idempotency_key_reused')
  })

  test('of a fork’s turns are visible to the fork and to people who see it; a repeated start sends them again', async () => {
    const { id } = await start([png])
    desk.say({ text: 'A pixel.' })
    await desk.turn(id, 1)
    const hash = await hashOf(id)
    for (const more of [{ text: 'And now?' }, { afterTurn: 0 }]) {
      const fork = await forkRun(desk.api, caller(), { runId: id, ...more })
      await desk.turn(fork.id, more.afterTurn === 0 ? 1 : 2)
      expect(pictures()?.[0]).toHaveLength(1)
      const { bytes, picture } = await readMessageFile(desk.api, caller(), { runId: fork.id, hash })
      expect([bytes.equals(onePixel), picture]).toEqual([true, 'image/png'])
    }
  })

  test('are accepted with the first message of a fork, and with the new input of a repeated start', async () => {
    const { id } = await start([text])
    desk.say({ text: 'Read.' })
    await desk.turn(id, 1)
    const picture = [{ mediaType: 'image/png', bytes: onePixel }]
    for (const more of [{ text: 'And this?' }, { afterTurn: 0, input: 'Look at this instead' }]) {
      const fork = await forkRun(desk.api, caller(), { runId: id, ...more, files: [png] })
      await desk.turn(fork.id, 'afterTurn' in more ? 1 : 2)
      expect(pictures()?.flat()).toEqual(picture)
      const last = desk.modelRequests.at(-1)?.messages.findLast(({ role }) => role === 'user')
      expect(last).toMatchObject({
        text: expect.stringMatching(/Attached files:\n- page\.png \(70 bytes/),
      })
      const { bytes } = await readMessageFile(desk.api, caller(), {
        runId: fork.id,
        hash: hashBytes(onePixel),
      })
      expect(bytes.equals(onePixel)).toBe(true)
      const event = await rowOf(desk.database.db, 'audit_event', {
        run_id: fork.id,
        type: 'run.started',
      })
      expect(event.document).toContain(hashBytes(onePixel))
    }
  })

  test('of a fork are counted once for one key, and refused where a message’s would be', async () => {
    const { id } = await start([])
    desk.say({ text: 'Nothing.' })
    await desk.turn(id, 1)
    const keyed = { runId: id, text: 'Look', files: [png], idempotencyKey: 'fork' }
    const first = await forkRun(desk.api, caller(), keyed)
    expect(await forkRun(desk.api, caller(), keyed)).toEqual(first)
    const forks = [
      { ...keyed, files: [png2] },
      { runId: id, text: 'Look', files: [{ ...png, mediaType: 'image/jpeg' }] },
      { runId: id, text: 'Look', files: Array.from({ length: 11 }, () => text) },
      { runId: id, afterTurn: 0, files: [png] },
    ]
    const refusals = await Promise.all(
      forks.map(async (one) => refusal(forkRun(desk.api, caller(), one))),
    )
    expect(refusals.map(({ code, facts }) => [code, facts['field']])).toEqual([
      ['idempotency_key_reused', undefined],
      ['invalid_request', 'files.0'],
      ['invalid_request', 'files'],
      ['invalid_request', 'files'],
    ])
    const blind = await start([], 'blind')
    const refused = await refusal(
      forkRun(desk.api, caller(), { runId: blind.id, afterTurn: 0, input: 'Look', files: [png] }),
    )
    expect(refused.message).toContain('sees no pictures')
  })

  test('are shown by name and hash to the people who approve a start', async () => {
    const { id } = await start([png], 'asks')
    const { db } = desk.database
    const { id: requestId } = await rowOf(db, 'request', { run_id: id })
    const request = await getRequest(desk.api, desk.people.grace.caller, {
      request: requestId,
    })
    const content = JSON.stringify(request.presentation)
    expect(content).toContain(`page.png  70 bytes  ${await hashOf(id)}`)
  })

  // Rules: product.md 31
  test('that are pictures leave the window with old results, are marked as left out, and can be read again', async () => {
    const { id } = await start([png])
    const read = { tool: 'read_file', input: { path: 'notes/big.md' } }
    await desk.write('notes/big.md', 'A line of the notes.\n'.repeat(200))
    for (let turn = 1; turn <= 8; turn += 1) {
      desk.say({ calls: [read] })
      await desk.perform(await desk.turn(id, turn))
    }
    const [task] = desk.modelRequests.at(-1)?.messages ?? []
    expect(task).toMatchObject({ text: expect.stringMatching(/no longer shown since turn \d/) })
    expect(pictures()?.[0]).toEqual([])
    const [first] = await readTranscript(desk.api, caller(), id)
    expect(first?.picturesElidedAt).toBeGreaterThan(1)
    desk.say({ calls: [{ tool: 'read_result', input: { turn: 1, call: 0 } }] })
    await desk.perform(await desk.turn(id, 9))
    desk.say({ text: 'A pixel.' })
    await desk.turn(id, 10)
    const results = desk.modelRequests
      .at(-1)
      ?.messages.findLast((one) => one.role === 'tool')?.results
    expect(results?.[0]).toMatchObject({
      text: expect.stringContaining('page.png (image/png, sha256:'),
      pictures: [{ mediaType: 'image/png', bytes: onePixel }],
    })
  })

  test('are removed when retention removes the words of their run', async () => {
    const { id } = await start([png2])
    const hash = await hashOf(id)
    await cancelRun(desk.api, caller(), { runId: id })
    await clearTranscript(desk.api, { runId: id, rule: 'transcripts: 1d', olderThanMs: 0 })
    const [first] = await readTranscript(desk.api, caller(), id)
    expect(first?.files).toBeUndefined()
    const gone = await refusal(readMessageFile(desk.api, caller(), { runId: id, hash }))
    expect(gone.code).toBe('not_found')
    const released = await rowsOf(desk.database.db, 'released_content', { hash }, 'hash')
    expect(released).toHaveLength(1)
  })
})

const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
const large = Buffer.concat([onePixel, Buffer.alloc(limits.pictureBytes)])

// Rules: security.md 18, 24
describe('files that are refused, with nothing written', () => {
  test.each([
    ['an SVG', [file('a.svg', 'image/svg+xml', svg)], /files\.0: Pictures are PNG, JPEG, GIF/],
    ['bytes of another type', [file('a.jpg', 'image/jpeg', onePixel)], /are not image\/jpeg/],
    ['a page under a picture’s name', [file('a.png', 'image/png', svg)], /are not image\/png/],
    ['a picture over the bound', [file('a.png', 'image/png', large)], /at most 3584 KiB/],
    ['binary data', [text, file('a.bin', 'text/plain', 'a\0b')], /files\.1: .*neither/],
    ['a picture that calls itself a text', [file('a.txt', 'text/plain', onePixel)], /neither/],
    ['an empty file', [file('a.txt', 'text/plain', '')], /base64|empty/],
    ['what is not base64', [{ ...png, data: '*' }], /not base64/],
    ['a path for a name', [{ ...png, name: '../a.png' }], /Its name/],
    ['a hidden character in a name', [{ ...png, name: 'a\u202eb.png' }], /Its name/],
    ['a line break in a name', [{ ...png, name: 'a\n- b.png' }], /Its name/],
    ['longer texts than fit', [file('a.txt', 'text/plain', 'x'.repeat(65 * 1024))], /64 KiB/],
    ['too many', Array.from({ length: 11 }, () => png), /At most 10/],
    [
      'more bytes than fit together',
      Array.from({ length: 3 }, () => file('a.png', 'image/png', large.subarray(0, 3_600_000))),
      /8 MiB together/,
    ],
  ])('%s', async (_, files, why) => {
    const { id } = await start([])
    const count = async () =>
      (await desk.database.db.selectFrom('message').select('id').execute()).length
    const before = await count()
    for (const attempt of [() => start(files), () => say(id, 'Look', files)]) {
      const refused = await refusal(attempt())
      expect(refused.code).toBe('invalid_request')
      expect(refused.message).toMatch(why)
      expect(String(refused.facts['field'])).toMatch(/^files/)
    }
    expect(await count()).toBe(before)
  })

  test('pictures for a model without vision, and of a type that it does not take', async () => {
    expect((await refusal(start([png], 'blind'))).message).toContain('sees no pictures')
    const { id } = await start([text], 'blind')
    expect((await refusal(say(id, 'Look', [png]))).message).toContain('sees no pictures')
    const gif = file('a.gif', 'image/gif', 'GIF89a and more')
    expect((await refusal(start([gif], 'sees'))).message).toContain('takes no image/gif')
    expect(await start([png], 'sees')).toMatchObject({ worker: 'sees' })
  })

  test('files of a run that the caller may not see, and hashes of other runs’', async () => {
    const { id } = await start([png])
    const hash = await hashOf(id)
    const other = await start([text])
    const { linus } = desk.people
    for (const attempt of [
      () => readMessageFile(desk.api, linus.caller, { runId: id, hash }),
      () => readMessageFile(desk.api, caller(), { runId: other.id, hash }),
    ])
      expect((await refusal(attempt())).code).toBe('not_found')
  })
})

async function hashOfMessage(runId: string): Promise<string> {
  const items = await readTranscript(desk.api, caller(), runId)
  return items.flatMap(({ files }) => files ?? [])[0]?.hash ?? ''
}

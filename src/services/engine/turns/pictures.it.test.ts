import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openMcpDesk, type McpDesk } from '#test/harness/fixtures/mcp-desk.ts'
import { onePixel } from '#test/harness/fixtures/result-with-files.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { limits } from '#domain/limits.ts'
import { getText } from '#store/content/content.ts'
import { storeFiles } from '../executions/store-output.ts'
import { readTranscript } from '../../runs/reading/transcript.ts'
import { seenPictures } from '../../transcript/seen-pictures.ts'
import type { TranscriptMessage } from '../../transcript/load-transcript.ts'
import { takeTurn } from './take-turn.ts'

let honest: McpDesk
let lying: McpDesk
let unfit: McpDesk

beforeAll(async () => {
  honest = await openMcpDesk('look: preApproved')
  lying = await openMcpDesk('act: preApproved', 'false-pictures')
  unfit = await openMcpDesk('act: preApproved', 'breaks-its-word')
  for (const bench of [honest, lying, unfit]) {
    if ((await bench.pin()) > 0) throw new Error('the server was not heard')
  }
}, 240_000)
afterAll(async () => {
  for (const bench of [honest, lying, unfit]) await bench[Symbol.asyncDispose]()
})

/** Executes one call, and returns the next prompt of the model. */
async function looked(bench: McpDesk, tool: string, input: JsonObject = {}) {
  const call = await bench.call(tool, input)
  await bench.perform(call.callId)
  const { signal } = new AbortController()
  await takeTurn(bench.worker, { runId: call.runId, turn: 2, signal })
  const results = bench.desk.modelRequests.at(-1)?.messages.findLast((one) => one.role === 'tool')
  return { ...call, result: results?.role === 'tool' ? results.results[0] : undefined }
}

test('a picture that an MCP server returns is in the result that the model reads next, bytes and all', async () => {
  const { runId, callId, result } = await looked(honest, 'mcp__sums__look')
  expect(result?.text).toContain('[image: image/png, 70 bytes, sha256:')
  expect(result?.pictures).toEqual([{ mediaType: 'image/png', bytes: onePixel }])
  const { ada } = honest.desk.people
  const transcript = await readTranscript(honest.desk.api, ada.caller, runId)
  const [call] = transcript.flatMap(({ calls }) => calls)
  expect(call?.result?.files).toMatchObject([
    { mediaType: 'image/png', bytes: 70 },
    { mediaType: 'application/zip', bytes: 3 },
  ])
  const { db } = honest.desk.database
  const { result_output_hash: output } = await rowOf(db, 'tool_call', { id: callId })
  expect(await getText(db, output ?? '')).not.toContain(onePixel.toString('base64'))
})

test('a picture that is read from a file is in the result too, and anybody who sees the run can open it', async () => {
  const { ada } = honest.desk.people
  await writeFile(join(honest.desk.root, 'pixel.png'), onePixel)
  const { runId, result } = await looked(honest, 'read_file', { path: 'pixel.png' })
  expect(result?.text).toContain('pixel.png is a picture: image/png, 70 bytes, sha256:')
  expect(result?.pictures).toEqual([{ mediaType: 'image/png', bytes: onePixel }])
  const transcript = await readTranscript(honest.desk.api, ada.caller, runId)
  const [call] = transcript.flatMap(({ calls }) => calls)
  expect(call?.result?.files).toMatchObject([{ mediaType: 'image/png', bytes: 70 }])
})

// Rules: security.md 18
test('no model gets pages, SVGs or files whose type differs from their name as pictures', async () => {
  const { runId, result } = await looked(lying, 'mcp__sums__act')
  expect(result?.pictures?.map(({ mediaType }) => mediaType)).toEqual(['image/gif'])
  const { ada } = lying.desk.people
  const transcript = await readTranscript(lying.desk.api, ada.caller, runId)
  const [call] = transcript.flatMap(({ calls }) => calls)
  expect(call?.result?.files?.map(({ mediaType }) => mediaType)).toEqual([
    'application/octet-stream',
    'image/svg+xml',
    'image/gif',
    'application/octet-stream',
    'text/html',
    'application/octet-stream',
    'application/octet-stream',
  ])
})

test('a result that differs from the schema of its tool is a failed execution, with the reason in the trail', async () => {
  const { callId, result } = await looked(unfit, 'mcp__sums__act')
  expect(result).toMatchObject({
    isError: true,
    text: expect.stringMatching(/total: must be a number/),
  })
  const { db } = unfit.desk.database
  const event = await rowOf(db, 'audit_event', { call_id: callId, type: 'execution.finished' })
  expect((JSON.parse(event.document) as JsonObject)['detail']).toMatchObject({
    state: 'failed',
    reason: expect.stringMatching(/^act of the MCP server sums ran to its end, but .*total/),
  })
})

const png = (bytes: number): Buffer => Buffer.concat([onePixel, Buffer.alloc(bytes)])

/** Transcripts whose calls each returned one picture of so many bytes more than the pixel has. */
async function transcriptOf(sizes: readonly number[], type: 'output' | 'error') {
  const { db } = honest.desk.database
  return Promise.all(
    sizes.map(async (size, index): Promise<TranscriptMessage> => {
      const files = await storeFiles(db, [{ mediaType: 'image/png', bytes: png(size) }])
      const call = {
        callId: `c${index}`,
        toolCallId: `t${index}`,
        tool: 'look',
        input: {},
        verdict: null,
        rule: null,
        requestId: null,
        requestState: null,
        manual: false,
        readOnly: true,
        result: { type, text: '', files },
      }
      const at = new Date(0)
      return {
        turn: index + 1,
        role: 'assistant',
        from: null,
        author: null,
        at,
        text: '',
        sequence: index,
        calls: [call],
      }
    }),
  )
}

test('a model gets only the newest pictures, up to the limit', async () => {
  const { db } = honest.desk.database
  const sizes = Array.from({ length: limits.picturesShown + 2 }, (_none, index) => index)
  const pictures = await seenPictures(db, await transcriptOf(sizes, 'output'))
  expect([...pictures.keys()]).toEqual(sizes.slice(2).map((index) => `c${index}`))
})

test('no picture over the limit is sent, and no more bytes in total than the limit', async () => {
  const { db } = honest.desk.database
  const large = limits.pictureBytes - onePixel.length
  const pictures = await seenPictures(
    db,
    await transcriptOf([10, large, large, large, large, large + 1, 20], 'output'),
  )
  expect([...pictures.keys()]).toEqual(['c2', 'c3', 'c4', 'c6'])
  const total = [...pictures.values()].flat().reduce((sum, { bytes }) => sum + bytes.length, 0)
  expect(total).toBeLessThanOrEqual(limits.picturesShownBytes)
})

test('pictures of errors are not sent', async () => {
  const pictures = await seenPictures(honest.desk.database.db, await transcriptOf([1], 'error'))
  expect(pictures.size).toBe(0)
})

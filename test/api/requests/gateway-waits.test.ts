import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Api } from '#api/context/api.ts'
import { callOwnTool } from '#api/mcp/own-tools.ts'
import { openProgramDesk } from '#services/external/external.fixture.ts'
import { readCallToMake } from '#services/gateway/call-to-make.ts'
import { readCallState } from '#services/gateway/read-call-state.ts'
import { putContent } from '#store/content/content.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { defaultSettings, ready } from '../test-api.ts'

const desk = disposeAfterTests(await openProgramDesk())
const { db } = desk.service
const api: Api = {
  ctx: desk.service.ctx,
  settings: defaultSettings,
  events: {
    since: async () => [],
    latest: async () => 0n,
    subscribe: () => () => undefined,
    subscribeText: () => () => undefined,
  },
  readiness: ready,
}

/** A decided gateway call, which another connection wanted some minutes ago. */
async function heldCall(
  minutesAgo: number,
  decision: 'approve' | 'deny' = 'approve',
): Promise<string> {
  const request = await desk.askByGateway({ byTask: false })
  await desk.decide(request, decision)
  const earlier = sql`clock_timestamp() - ${minutesAgo} * interval '1 minute'`
  await sql`update request set decided_at = ${earlier} - interval '1 second'
    where id = ${request.id}`.execute(db)
  await sql`update gateway_call set wanted_at = ${earlier}
    where request_id = ${request.id}`.execute(db)
  return request.id
}

/** `countersign_wait`, and the seconds that it took. */
async function wait(id: string, seconds: number) {
  const beganMs = performance.now()
  const answer = await callOwnTool(api, desk.program.caller, {
    server: 'shop',
    name: 'countersign_wait',
    input: { id, seconds },
    signal: new AbortController().signal,
    attempt: (_act, run) => run(),
  })
  const tookSeconds = (performance.now() - beganMs) / 1000
  const [content] = answer?.content ?? []
  const { _meta: meta, isError = false } = answer ?? {}
  return { text: content?.type === 'text' ? content.text : null, tookSeconds, meta, isError }
}

test('a wait for an approved call that another connection holds ends after its own seconds and says to wait on', async () => {
  const { text, tookSeconds } = await wait(await heldCall(1), 3)
  expect(tookSeconds).toBeGreaterThan(2.9)
  expect(tookSeconds).toBeLessThan(20)
  expect(text).toMatch(/^RUNNING: .*Wait with countersign_wait/)
  expect(text).not.toContain('again')
})

test('an approved call whose caller has not called for ten minutes is not made, and a wait says to call again', async () => {
  for (const [minutesAgo, isWanted] of [
    [9, true],
    [11, false],
  ] as const) {
    const id = await heldCall(minutesAgo)
    const state = await readCallState(api.ctx, desk.program.caller, 'shop', { request: id })
    expect(state).toMatchObject({ state: 'approved', isWanted })
    expect(await readCallToMake(db, id)).toMatchObject({ isAwaited: isWanted })
  }
  const { text } = await wait(await heldCall(11), 20)
  expect(text).toMatch(/^ALLOWED, not run yet .*call .* again/)
})

test('a wait for a call that has run returns its result, and sends nobody back to call again', async () => {
  const id = await heldCall(1)
  const answered = { content: [{ type: 'text', text: 'sold' }] }
  const result = await putContent(db, JSON.stringify(answered))
  await sql`update gateway_call set result_hash = ${result} where request_id = ${id}`.execute(db)
  await sql`update external_request set outcome = 'succeeded', consumed_at = clock_timestamp(),
    outcome_at = clock_timestamp() where request_id = ${id}`.execute(db)
  const recorded = async () =>
    db.selectFrom('gateway_call').select('told_at').where('request_id', '=', id).executeTakeFirst()
  expect(await recorded()).toEqual({ told_at: null })
  for (const _ of [1, 2]) {
    const { text } = await wait(id, 0)
    expect(text).toBe('sold')
    expect(await recorded()).toEqual({ told_at: expect.any(Date) })
  }
})

test('a wait for a call that was denied says by its disposition that nothing ran', async () => {
  const { text, meta, isError } = await wait(await heldCall(1, 'deny'), 0)
  expect(text).toMatch(/^DENIED, not run/)
  expect(isError).toBe(false)
  expect(meta).toMatchObject({
    'io.modelcontextprotocol/tool-approval-disposition': 'denied-not-executed',
  })
})

import { expect, test } from 'vitest'
import { writeCall } from '#test/harness/fixtures/runs/file-calls.ts'
import { hence } from '#test/harness/fixtures/runs/hence.ts'
import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk, type AgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { afterWork } from '#test/harness/fixtures/before-transaction.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowsOf } from '#test/harness/fixtures/rows.ts'
import { trailTypes } from '#test/harness/fixtures/trail.ts'
import type { AuditEventType } from '#domain/audit-event.ts'
import { createApiKey } from '../access/api-keys/create-api-key.ts'
import { rotateApiKey } from '../access/api-keys/rotate-api-key.ts'
import { claimRequest } from './claim-request.ts'
import { commentRequest } from './comment-request.ts'
import { extendRequest } from './extend-request.ts'
import { handOverRequest } from './hand-over-request.ts'
import { nudgeRequest } from './nudge-request.ts'
import { snoozeRequest } from './snooze-request.ts'

type Context = AgentDesk['api']

const desk = disposeAfterTests(await openAgentDesk())
const { ada, grace } = desk.people

/** An API process that dies right before its next commit. */
const dying = (): Context => ({
  ...desk.api,
  db: afterWork(desk.api.db, () => Promise.reject(new Error('killed'))),
})

async function waiting(): Promise<string> {
  const runId = await desk.start()
  return (await proposeCall(desk, runId, 1, writeCall(`notes/${runId}.md`, 'x'))).requestId
}

interface Act {
  readonly does: (ctx: Context, request: string) => Promise<unknown>
  /** its event; absent: it is a person's own and has none */
  readonly event?: AuditEventType
  /** when it is sent again after its answer was lost: its refusal, or how often it counts */
  readonly again: string | number
}

const later = hence(60 * 24 * 30)
const acts: Readonly<Record<string, Act>> = {
  comment: {
    does: (ctx, request) => commentRequest(ctx, grace.caller, { request, text: 'look' }),
    event: 'request.commented',
    again: 2,
  },
  nudge: {
    does: (ctx, request) => nudgeRequest(ctx, ada.caller, { request }),
    event: 'request.nudged',
    again: 'rate_limited',
  },
  claim: {
    does: (ctx, request) => claimRequest(ctx, grace.caller, { request }),
    event: 'request.claimed',
    again: 2,
  },
  'hand-over': {
    does: (ctx, request) =>
      handOverRequest(ctx, grace.caller, { request, to: 'linus@example.com' }),
    event: 'request.handed_over',
    again: 2,
  },
  snooze: {
    does: (ctx, request) => snoozeRequest(ctx, grace.caller, { request, until: hence(120) }),
    again: 1,
  },
  extension: {
    does: (ctx, request) => extendRequest(ctx, grace.caller, { request, expiresAt: later }),
    event: 'request.extended',
    again: 'invalid_request',
  },
}

const { db } = desk.database

/** How often the act has happened, by its event, or by its row. */
async function count({ event }: Act, request: string): Promise<number> {
  if (event !== undefined) return (await trailTypes(db, { request }, event)).length
  return (await rowsOf(db, 'request_snooze', { request_id: request }, 'person_id')).length
}

test.each(Object.entries(acts))(
  'an act (%s) whose API dies before the commit has no effect, as if it was never sent',
  async (_, act) => {
    const request = await waiting()
    await expect(act.does(dying(), request)).rejects.toThrow('killed')
    expect(await count(act, request)).toBe(0)
    await act.does(desk.api, request)
    expect(await count(act, request)).toBe(1)
  },
)

test.each(Object.entries(acts))(
  'an act (%s) whose response is lost has taken effect, and a repeated one does what the page says',
  async (_, act) => {
    const request = await waiting()
    await act.does(desk.api, request)
    const again = act.does(desk.api, request)
    if (typeof act.again === 'string') expect((await refusal(again)).code).toBe(act.again)
    else await again
    expect(await count(act, request)).toBe(typeof act.again === 'string' ? 1 : act.again)
  },
)

test('a key whose API dies before the commit does not exist; one whose response is lost is listed, and its secret is stored nowhere', async () => {
  const keyInput = { name: 'lost', scopes: ['runs:read' as const], expiresAt: null }
  const keys = () => rowsOf(db, 'api_key', { owner_id: grace.id }, 'secret_hash')
  await expect(createApiKey(dying(), grace.caller, keyInput)).rejects.toThrow('killed')
  expect(await keys()).toEqual([])
  const { key } = await createApiKey(desk.api, grace.caller, keyInput)
  const [row, ...others] = await keys()
  expect(others).toEqual([])
  expect(JSON.stringify(row)).not.toContain(key)
})

test('a rotation whose API dies before the commit keeps the secret; one whose response is lost is repeated', async () => {
  const keyInput = { name: 'rotates', scopes: ['runs:read' as const], expiresAt: null }
  const { id } = await createApiKey(desk.api, grace.caller, keyInput)
  const secretHash = async () => (await rowsOf(db, 'api_key', { id }, 'secret_hash'))[0]
  const first = await secretHash()
  const rotation = { id, overlapMs: 0 }
  await expect(rotateApiKey(dying(), grace.caller, rotation)).rejects.toThrow('killed')
  expect(await secretHash()).toEqual(first)
  const lost = await rotateApiKey(desk.api, grace.caller, rotation)
  const second = await secretHash()
  expect(second).not.toEqual(first)
  const { key } = await rotateApiKey(desk.api, grace.caller, rotation)
  expect(key).not.toBe(lost.key)
  expect(await secretHash()).not.toEqual(second)
})

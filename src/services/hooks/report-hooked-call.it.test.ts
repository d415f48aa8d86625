import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { addKey } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { consumePermit } from '../external/consume-permit.ts'
import { openProgramDesk } from '../external/external.fixture.ts'
import { openExternal } from '../external/open-external.ts'
import { reportOutcome } from '../external/report-outcome.ts'
import { hookCallOf, recordHookUse } from './hooked-call.ts'
import { reportHookedCall } from './report-hooked-call.ts'

const desk = disposeAfterTests(await openProgramDesk())
const { ctx, db } = desk.service
const hookCall = hookCallOf({
  agent: 'claude-code',
  session: 'one session',
  tool: 'Bash',
  input: { command: 'make' },
  worker: null,
  root: null,
})
const call = { tool: 'deploy', input: { service: 'shop' } }

/** A request of a key whose permit a hook took for the call. */
async function taken(caller: Awaited<ReturnType<typeof addKey>>['caller'], externalId: string) {
  const { requestId } = await openExternal(ctx, caller, { ...call, externalId })
  const request = await desk.read(requestId)
  await desk.decide(request, 'approve')
  await consumePermit(ctx, caller, { request: requestId, digest: request.digest })
  await recordHookUse(ctx, requestId, { hookCall, use: null })
  return async () =>
    (await rowOf(db, 'external_request', { request_id: requestId }, 'outcome')).outcome
}

// Rules: security.md 38
test('the report of a key that somebody proposed is about its own call, though another key of its owner made an equal one later', async () => {
  const proposed = await addKey(db, desk.grace, desk.ada)
  const own = await taken(proposed.caller, 'of the proposed key')
  const others = await taken(desk.program.caller, 'of another key')
  expect(
    await reportHookedCall(ctx, proposed.caller, { hookCall, use: null, state: 'failed' }),
  ).toBe(true)
  expect([await own(), await others()]).toEqual(['failed', null])
  await reportHookedCall(ctx, desk.program.caller, { hookCall, use: null, state: 'succeeded' })
  expect([await own(), await others()]).toEqual(['failed', 'succeeded'])
})

// Rules: product.md 47
test('a call that the agent made with other arguments stays unknown, whatever its key reports', async () => {
  const { caller } = desk.program
  const use = 'with other arguments'
  const outcome = await taken(caller, use)
  await reportHookedCall(ctx, caller, { hookCall: 'another call', use, state: 'succeeded' })
  const { request_id: request } = await rowOf(db, 'external_request', { external_id: use })
  const later = reportOutcome(ctx, caller, { request, state: 'succeeded', summary: null })
  expect((await refusal(later)).code).toBe('conflict')
  expect(await outcome()).toBe('unknown')
})

test('an unknown outcome that the key itself reported of a hooked call is final too', async () => {
  const { caller } = desk.program
  const externalId = 'reported by the key'
  const outcome = await taken(caller, externalId)
  const { request_id: request } = await rowOf(db, 'external_request', { external_id: externalId })
  await reportOutcome(ctx, caller, { request, state: 'unknown', summary: null })
  const later = reportOutcome(ctx, caller, { request, state: 'succeeded', summary: null })
  expect((await refusal(later)).code).toBe('conflict')
  expect(await outcome()).toBe('unknown')
})

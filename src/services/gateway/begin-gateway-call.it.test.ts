import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { answerAsk, answerPreApproved } from '#test/api/judging.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openProgramDesk } from '../external/external.fixture.ts'
import { beginGatewayCall } from './begin-gateway-call.ts'

const desk = disposeAfterTests(await openProgramDesk())
const { service, program } = desk
const config = {
  ...service.policy.config,
  mcpServers: new Map([['shop', { server: { name: 'shop' }, queue: null }]]),
}
const policies = { ...service.ctx.policies, inForce: async () => ({ ...service.policy, config }) }
const ctx = { ...service.ctx, policies } as unknown as typeof service.ctx

/** Begins a call to which its client gives this id; returns its request, new or continued. */
async function call(tool: string, clientCallId: string): Promise<string> {
  const made = { server: 'shop', tool, input: {}, client: null, externalId: null, clientCallId }
  const start = await beginGatewayCall(ctx, program.caller, made, false)
  if (start.kind !== 'call') expect.fail(start.reason)
  return start.requestId
}

/** The client has had the end of a call for this time. */
async function returned(requestId: string, forMinutes: number): Promise<void> {
  await sql`update gateway_call set told_at = clock_timestamp() - ${forMinutes} * interval '1 minute'
    where request_id = ${requestId}`.execute(service.db)
}

// Rules: security.md 37
test('a call whose answer was lost runs once, although its client made an equal one before it repeats it', async () => {
  answerPreApproved(service)
  const lost = await call('list', 'toolu_1')
  const other = await call('list', 'toolu_2')
  expect(other).not.toBe(lost)
  await returned(other, 0)
  expect(await call('list', 'toolu_1')).toBe(lost)
  expect(await call('list', 'toolu_2')).toBe(other)
  await returned(lost, 11)
  expect([lost, other]).not.toContain(await call('list', 'toolu_1'))
})

test('an id that a client uses again joins the equal call that waits, and asks nobody twice', async () => {
  answerAsk(service)
  const ended = await call('refund', 'toolu_1')
  await returned(ended, 11)
  const waiting = await call('refund', 'toolu_2')
  expect(waiting).not.toBe(ended)
  expect(await call('refund', 'toolu_1')).toBe(waiting)
  expect(await call('refund', 'toolu_3')).toBe(waiting)
})

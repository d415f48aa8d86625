import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openProgramDesk } from '#services/external/external.fixture.ts'
import { beginGatewayCall } from '#services/gateway/begin-gateway-call.ts'
import { answerPreApproved } from '../api/judging.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { oneConnection } from './context-on.ts'
import { rowsReadBy } from './rows-read-by.ts'

const earlier = 2000
/** For what a scan reads beside the row, such as older versions of it. */
const toleratedRows = 10
const tables = ['external_request', 'gateway_call', 'request']

const desk = disposeAfterTests(await openProgramDesk())
const { service, program } = desk
answerPreApproved(service)
const server = { name: 'shop' }
const config = {
  ...service.policy.config,
  mcpServers: new Map([['shop', { server, queue: null }]]),
}
const db = disposeAfterTests(oneConnection(desk.databaseUrl))
const policies = { ...service.ctx.policies, inForce: async () => ({ ...service.policy, config }) }
const ctx = { ...service.ctx, db, policies } as unknown as typeof service.ctx

const call = { server: 'shop', tool: 'list', input: {}, client: null }

/** Begins the call `list`, which ends at once; its caller has had the answer for an hour. */
async function callOnce(clientCallId: string | null): Promise<string> {
  const named = { ...call, externalId: null, clientCallId }
  const beginning = await beginGatewayCall(ctx, program.caller, named, false)
  if (beginning.kind !== 'call') expect.fail(beginning.reason)
  const { requestId } = beginning
  await sql`update gateway_call set told_at = clock_timestamp() - interval '1 hour'
    where request_id = ${requestId}`.execute(db)
  return requestId
}

// Rules: security.md 37
test('a call of the gateway reads as few rows after 2,000 calls of its owner, equal or not', async () => {
  for (const name of [null, null, 'call-1', 'call-1']) await callOnce(name)
  const rowsOf = (name: string | null) => rowsReadBy(db, tables, () => callOnce(name))
  const before = await rowsOf(null)
  const first = await callOnce(null)
  await sql`
    with another as (
      insert into request (id, kind, state, queue, team, risk, tool, title, digest, policy_digest,
        rule, routing, expires_at, epoch)
      select md5('earlier' || n)::uuid, kind, state, queue, team, risk, tool, title, digest,
        policy_digest, rule, routing, expires_at, epoch
      from request, generate_series(1, ${earlier}::int) n where id = ${first} returning id)
    insert into external_request (request_id, owner_id, external_id, api_key_id, verdict, body_hash)
    select another.id, owner_id, external_id || another.id, api_key_id, verdict, body_hash
    from another, external_request where request_id = ${first}
  `.execute(db)
  for (const name of [null, 'call-1']) {
    const after = await rowsOf(name)
    for (const table of tables) {
      expect(after[table], table).toBeLessThanOrEqual(before[table]! + toleratedRows)
    }
  }
})

test('equal calls of the gateway that were answered are requests of their own', async () => {
  const ids = [await callOnce('call-2'), await callOnce('call-2'), await callOnce('call-2')]
  const { rows } = await sql<{ name: string }>`select external_id as name from external_request
    where request_id = any(${ids}::uuid[]) order by external_id`.execute(db)
  expect(rows.map(({ name }) => name.split('#')[0])).toEqual(['call-2', 'call-2', 'call-2'])
  expect(rows[0]?.name).toBe('call-2')
})

import { sql } from 'kysely'
import { newId } from '#domain/new-id.ts'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { withQueryLog, type LoggedQuery } from '#test/harness/fixtures/count-queries.ts'
import { addForgedEvent, hostileDocuments } from '#test/harness/fixtures/hostile-events.ts'
import { costOf } from '#test/harness/fixtures/reading-cost.ts'
import { testSeals } from '#test/harness/fixtures/keys/test-keys.ts'
import type { PlannedRevocation, Seals } from '#domain/statements/row-seals.ts'
import { claimKeyProposal } from '../access/api-keys/claim-key-proposal.ts'
import { createApiKey } from '../access/api-keys/create-api-key.ts'
import { proposeApiKey } from '../access/api-keys/propose-api-key.ts'
import { rotateApiKey } from '../access/api-keys/rotate-api-key.ts'
import { withdrawKeyProposal } from '../access/api-keys/withdraw-key-proposal.ts'
import { disablePerson } from '../access/disable-person.ts'
import { unlinkIdentity } from '../access/oidc/unlink-identity.ts'
import { hashToken } from '../access/token.ts'
import { removeDevices } from '../channels/push/remove-device.ts'
import { subscribeDevice } from '../channels/push/subscribe-device.ts'
import { confirmSlackLink } from '../channels/slack/confirm-slack-link.ts'
import { removeSlackLink } from '../channels/slack/remove-slack-link.ts'
import { cancelRun } from '../engine/lifecycle/cancel-run.ts'
import { removeCredential } from '../passkeys/remove-credential.ts'
import { revokePermit } from '../permits/revoke-permit.ts'
import { activateFolder } from '../policy/activate-policy.ts'
import { endProposal, propose } from '../policy/open-proposal.ts'
import { byRight } from '../core/authority.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { recordRevocations } from './record-revocations.ts'
import { writeCall } from '#test/harness/fixtures/runs/file-calls.ts'

const config = deskConfig.replace(
  'rights:',
  'rights:\n  managePeople: [platform]\n  activatePolicy: [platform]',
)
const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({ 'countersign.yaml': config })

/** Seals with a ledger of their own, and what was recorded in it with the earliest time. */
function emptyLedger(): { readonly seals: Seals; readonly recorded: () => readonly string[] } {
  const times = new Map<string, string>()
  const add = async (ended: readonly PlannedRevocation[]) => {
    for (const { what, id, from } of ended) {
      const at = [from?.toISOString() ?? '', times.get(`${what} ${id}`) ?? '~'].toSorted()[0]
      times.set(`${what} ${id}`, at ?? '')
    }
  }
  const seals = { ...testSeals, revocations: { has: () => false, add } }
  return { seals, recorded: () => [...times].map((pair) => pair.join(' ')).toSorted() }
}

// Rules: security.md 29
test('every end that an API records is in the trail first, from which the next API restores it after a kill', async () => {
  const { seals, recorded } = emptyLedger()
  const ctx = { ...desk.api, seals }
  const { db } = desk.database
  const { ada, grace, linus } = desk.people
  const managed = { caller: ada.caller, email: 'grace@example.com' }

  const session = {
    token_hash: hashToken('of-linus'),
    id: newId(),
    person_id: linus.id,
    csrf_token: 'x',
    proof_hash: null,
    channel: 'link',
    expires_at: new Date(Date.now() + 3_600_000),
  }
  const sealed = { ...session, device: 'test', seal: seals.of('session', session) }
  await db.insertInto('session').values(sealed).execute()
  const p256dh = Buffer.concat([Buffer.from([4]), Buffer.alloc(64)]).toString('base64url')
  const keys = { p256dh, auth: Buffer.alloc(16).toString('base64url') }
  const device = { sessionId: session.id, target: { endpoint: 'https://push.example/1', keys } }
  await subscribeDevice(ctx, linus.caller, device)
  const { id: deviceId } = await subscribeDevice(ctx, linus.caller, device)
  await removeDevices(ctx, linus.caller, { id: deviceId }, 'removed_by_person')

  for (const userId of ['U1', 'U2']) {
    const code = {
      code_hash: hashToken(userId),
      team: 'T1',
      user_id: userId,
      email: 'grace@example.com',
      expires_at: session.expires_at,
    }
    const row = { ...code, seal: seals.of('slack_link_code', code) }
    await db.insertInto('slack_link_code').values(row).execute()
  }
  await confirmSlackLink(ctx, grace.caller, { code: 'U1' })
  const link = await confirmSlackLink(ctx, grace.caller, { code: 'U2' })
  await removeSlackLink(ctx, grace.caller, { id: link.id })

  const passkey = { id: newId(), person_id: grace.id, webauthn_id: 'w', public_key: 'p' }
  const rest = { counter: 0, transports: [], name: 'key', synced: false }
  await db
    .insertInto('credential')
    .values({ ...passkey, ...rest })
    .execute()
  await removeCredential(ctx, grace.caller, { id: passkey.id })
  const account = { issuer: 'https://sso.example', subject: 's', person_id: grace.id }
  const identity = { ...account, email: 'grace@example.com', groups: [], id: newId() }
  await db.insertInto('identity').values(identity).execute()
  await unlinkIdentity(ctx, managed.caller, managed)

  const keyInput = { name: 'ci', scopes: ['runs:read' as const], expiresAt: null }
  const proposeKey = () =>
    proposeApiKey(ctx, ada.caller, { ...keyInput, ownerEmail: 'linus@example.com' })
  await claimKeyProposal(ctx, linus.caller, await proposeKey())
  await withdrawKeyProposal(ctx, linus.caller, await proposeKey())
  await proposeKey()
  const { id } = await createApiKey(ctx, linus.caller, keyInput)
  await rotateApiKey(ctx, linus.caller, { id, overlapMs: 60_000 })
  await rotateApiKey(ctx, linus.caller, { id, overlapMs: 0 })

  const runId = await desk.start()
  desk.say({ calls: [writeCall('notes/a.md'), writeCall('notes/b.md')] })
  await desk.turn(runId, 1)
  const [first, second] = await desk.calls(runId, 1)
  await desk.decide(grace, first?.requestId ?? '', { scope: 'run' })
  await desk.decide(grace, second?.requestId ?? '')
  await revokePermit(ctx, grace.caller, { request: second?.requestId ?? '', reason: 'no' })
  await cancelRun(ctx, ada.caller, { runId })

  const policy = await ctx.policies.inForce()
  const activator = await byRight(ctx, grace.caller, 'activatePolicy')
  await inUnitOfWork(ctx, activator, async (unit) => {
    const version = { policy, before: policy, note: null }
    await endProposal(unit, activator, await propose(unit, ctx, activator, version), 'cancelled')
  })

  await desk.write('countersign.yaml', config.replace(', linus@example.com', ''))
  await activateFolder(ctx, desk.root)
  await disablePerson(ctx, managed.caller, { email: 'linus@example.com' })

  const kinds = new Set(recorded().map((line) => line.slice(0, line.indexOf(' '))))
  expect([...kinds]).toEqual([
    'api_key',
    'api_key_proposal',
    'credential',
    'grant',
    'identity',
    'key_secret',
    'membership',
    'permit',
    'person',
    'policy_proposal',
    'push_subscription',
    'session',
    'slack_link',
  ])
  const later = emptyLedger()
  expect(await recordRevocations({ ...desk.api, seals: later.seals })).toBe(recorded().length)
  expect(later.recorded()).toEqual(recorded())

  // An event that the service did not write may have any text. It stops no start.
  const ends = (more: object) => JSON.stringify({ detail: { previousSecretHash: 'h', ...more } })
  for (const document of [
    ...hostileDocuments,
    ends({ previousUntil: 'infinity' }),
    ends({ previousUntil: '-infinity' }),
    ends({ previousUntil: 'tomorrow' }),
    ends({ previousUntil: '2026-02-31T00:00:00.000Z' }),
    ends({ previousUntil: 7 }),
  ]) {
    await addForgedEvent(db, 'key.created', document)
  }
  expect(await recordRevocations({ ...desk.api, seals: emptyLedger().seals })).toBe(
    recorded().length + 1,
  )
})

test('a proposal that an earlier version ended, without an event, is recorded while it could be opened again', async () => {
  const { db } = desk.database
  const policy = await desk.api.policies.inForce()
  const activator = await byRight(desk.api, desk.people.grace.caller, 'activatePolicy')
  const version = { policy, before: policy, note: null }
  const { id } = await inUnitOfWork(desk.api, activator, (unit) =>
    propose(unit, desk.api, activator, version),
  )
  const isRecorded = async () => {
    const { seals, recorded } = emptyLedger()
    await recordRevocations({ ...desk.api, seals })
    return recorded().some((line) => line.includes(id))
  }
  expect(await isRecorded()).toBe(false)
  await sql`update policy_proposal set state = 'cancelled' where id = ${id}`.execute(db)
  expect(await isRecorded()).toBe(true)
  await sql`update policy_proposal set expires_at = clock_timestamp() where id = ${id}`.execute(db)
  expect(await isRecorded()).toBe(false)
})

test('the ended rights are read by the types of their events, however long the trail is', async () => {
  const { db, url } = desk.database
  const cost = async () => {
    await sql`analyze audit_event`.execute(db)
    const queries: LoggedQuery[] = []
    await using logged = withQueryLog(url, queries)
    await recordRevocations({ ...desk.api, db: logged, seals: emptyLedger().seals })
    return costOf(url, queries)
  }
  const add = (type: string, count: number) =>
    sql`
    insert into audit_event (id, at, type, actor_type, document)
    select gen_random_uuid(), now() - n * interval '1 minute', ${type}, 'system',
      json_build_object('detail', json_build_object('words', repeat('x', 500)))::text
    from generate_series(1, ${count}::int) as n
  `.execute(db)
  await add('call.judged', 2000)
  const before = await cost()
  await add('call.judged', 40_000)
  const { blocks, unindexed } = await cost()
  expect(unindexed).toEqual([])
  expect(blocks).toBeLessThanOrEqual(before.blocks + 20)
})

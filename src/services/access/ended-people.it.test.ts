import { sql } from 'kysely'
import { newId } from '#domain/new-id.ts'
import { describe, expect, test } from 'vitest'
import { advisoryLocks } from '#store/connection/advisory-locks.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { beforeTransaction } from '#test/harness/fixtures/before-transaction.ts'
import { testSeals } from '#test/harness/fixtures/keys/test-keys.ts'
import { addKey } from '#test/harness/fixtures/people.ts'
import { outcomeOf, refusal } from '#test/harness/fixtures/refusal.ts'
import { everyRow, rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import { holdLock } from '#test/harness/hold-lock.ts'
import { chooseMail } from '../channels/mail/mail-choice.ts'
import { choosePush } from '../channels/push/choose-push.ts'
import type { SigningContext } from '../core/context.ts'
import { cancelRun } from '../engine/lifecycle/cancel-run.ts'
import { openExternal } from '../external/open-external.ts'
import { listGrants } from '../grants/list-grants.ts'
import { revokeGrant } from '../grants/revoke-grant.ts'
import { nudgeRequest } from '../requests/nudge-request.ts'
import { snoozeRequest } from '../requests/snooze-request.ts'
import { messageRun } from '../runs/message-run.ts'
import { startRun } from '../runs/starting/start-run.ts'
import { endAbsence, setAbsence } from './absence.ts'
import { createApiKey } from './api-keys/create-api-key.ts'
import { revokeApiKey } from './api-keys/revoke-api-key.ts'
import { rotateApiKey } from './api-keys/rotate-api-key.ts'
import { keyOfClient } from './oidc/key-of-client.ts'
import { saveView } from './saved-views.ts'
import { sealedMembership } from './sealed-rows.ts'
import { endOtherSessions } from './sessions/end-sessions.ts'
import { createSignInLink } from './sign-in/sign-in-link.ts'

const desk = disposeAfterTests(await openAgentDesk())
const { ada, grace } = desk.people
const { db } = desk.database

desk.say({
  calls: [
    { tool: 'write_file', input: { path: 'notes/release.md', content: 'released\n' } },
    { tool: 'write_file', input: { path: 'notes/next.md', content: 'next\n' } },
  ],
})
const { runId } = await desk.startTurn()
const [granted, waiting] = await desk.calls(runId, 1)
await desk.decide(grace, granted?.requestId ?? '', { scope: 'run', reason: 'as agreed' })
const [grant] = await listGrants(desk.api, ada.caller, { runId })
const request = waiting?.requestId ?? ''
const key = await addKey(db, ada)
const email = 'ada@example.com'
const tomorrow = new Date(Date.now() + 86_400_000)

type Act = (ctx: SigningContext) => Promise<unknown>

/** What Ada does with what is her own. */
const adasActs: Readonly<Record<string, Act>> = {
  setAbsence: (ctx) => setAbsence(ctx, ada.caller, { until: tomorrow.toISOString() }),
  endAbsence: (ctx) => endAbsence(ctx, ada.caller),
  saveView: (ctx) => saveView(ctx, ada.caller, { page: 'inbox', name: 'mine', query: 'mine=true' }),
  chooseMail: (ctx) => chooseMail(ctx, ada.caller, { choice: 'nothing', ended: false }),
  choosePush: (ctx) => choosePush(ctx, ada.caller, { requests: 'all', ended: true, quiet: null }),
  createApiKey: (ctx) =>
    createApiKey(ctx, ada.caller, { name: 'CI', scopes: ['runs:read'], expiresAt: null }),
  rotateApiKey: (ctx) => rotateApiKey(ctx, ada.caller, { id: key.id, overlapMs: 0 }),
  revokeApiKey: (ctx) => revokeApiKey(ctx, ada.caller, { id: key.id }),
  createSignInLink: (ctx) => createSignInLink(ctx, ada.caller, { email }),
  endOtherSessions: (ctx) => endOtherSessions(ctx, ada.caller, { currentId: newId() }),
  snoozeRequest: (ctx) =>
    snoozeRequest(ctx, ada.caller, { request, until: tomorrow.toISOString() }),
  nudgeRequest: (ctx) => nudgeRequest(ctx, ada.caller, { request }),
  messageRun: (ctx) => messageRun(ctx, ada.caller, { runId, text: 'Go on' }),
  revokeGrant: (ctx) => revokeGrant(ctx, ada.caller, { grantId: grant?.id ?? '' }),
  cancelRun: (ctx) => cancelRun(ctx, ada.caller, { runId }),
}

/** What her key does. */
const keysActs: Readonly<Record<string, Act>> = {
  openExternal: (ctx) =>
    openExternal(ctx, key.caller, { tool: 'deploy', input: {}, externalId: 'deploy-1' }),
  startRun: (ctx) => startRun(ctx, key.caller, { worker: 'scribe', input: 'Write' }),
}

const setDisabled = (disabled_at: Date | null) =>
  setRows(db, 'person', { id: ada.id }, { disabled_at })
const setRevoked = (revoked_at: Date | null) =>
  setRows(db, 'api_key', { id: key.id }, { revoked_at })

const refusedWithoutTrace = { code: 'unauthenticated', wrote: false }

/** Carries an act out while something ends; its refusal, and whether it wrote anything. */
async function actWhile(act: Act, setEnd: (end: Date | null) => Promise<void>) {
  let then = ''
  const meanwhile = async (): Promise<void> => {
    await setEnd(new Date())
    then = await everyRow(db)
  }
  const { code } = await refusal(
    act({ ...desk.api, db: beforeTransaction(desk.api.db, meanwhile) }),
  )
  const wrote = (await everyRow(db)) !== then
  await setEnd(null)
  return { code, wrote }
}

// Rules: product.md 18; security.md 22
describe('a person who is disabled between the judgement and the record', () => {
  test.each(Object.entries(adasActs))('%s is refused and writes nothing', async (_, act) => {
    expect(await actWhile(act, setDisabled)).toEqual(refusedWithoutTrace)
  })

  test.each(Object.entries(keysActs))(
    'their key: %s is refused and writes nothing',
    async (_, act) => {
      expect(await actWhile(act, setDisabled)).toEqual(refusedWithoutTrace)
    },
  )

  test('a client of the sign-in provider gets no key', async () => {
    const client = { issuer: 'https://id.example.com', client: 'editor', person: { ...ada, email } }
    const ctx = { ...desk.api, db: beforeTransaction(desk.api.db, () => setDisabled(new Date())) }
    const outcome = await keyOfClient(ctx, client)
    await setDisabled(null)
    expect(outcome).toBe('disabled')
    expect(await rowsOf(db, 'api_key', { name: 'editor (OAuth)' })).toEqual([])
  })
})

test('a client whose person was just found by its token has its key without another read of the version', async () => {
  const client = { issuer: 'https://id.example.com', client: 'other', person: { ...ada, email } }
  const key = await keyOfClient(desk.api, client)
  expect(key).toMatchObject({ ownerId: ada.id })
  const inForce = async (): Promise<never> => {
    throw new Error('The version was read')
  }
  const ctx = { ...desk.api, policies: { ...desk.api.policies, inForce } }
  expect(await keyOfClient(ctx, client)).toEqual(key)
})

/** Puts a version into force that does not name Ada; `null`: the one that does, again. */
const setFormer = (end: Date | null) =>
  desk.activate({
    'countersign.yaml': end === null ? deskConfig : deskConfig.replace('ada@example.com, ', ''),
  })

// Rules: product.md 17, 18; security.md 22
describe('a person whom the project stops naming between the judgement and the record', () => {
  test.each(Object.entries({ ...adasActs, ...keysActs }))(
    'by themselves or by their key: %s is refused and writes nothing',
    async (_, act) => {
      expect(await actWhile(act, setFormer)).toEqual(refusedWithoutTrace)
    },
  )

  test('starts no run either when the version was in force before the start was judged', async () => {
    await setFormer(new Date())
    const then = await everyRow(db)
    const { code } = await refusal(
      startRun(desk.api, ada.caller, { worker: 'scribe', input: 'Write' }),
    )
    expect({ code, wrote: (await everyRow(db)) !== then }).toEqual(refusedWithoutTrace)
    await setFormer(null)
  })

  test('acts on as a member of a team by a group of the sign-in provider', async () => {
    await setFormer(new Date())
    const membership = sealedMembership(testSeals, {
      team: 'operators',
      person_id: ada.id,
      until: tomorrow,
      id: newId(),
    })
    await db.insertInto('membership').values(membership).execute()
    await startRun(desk.api, ada.caller, { worker: 'scribe', input: 'Write' })
    await messageRun(desk.api, ada.caller, { runId, text: 'Go on' })
    const call = { tool: 'deploy', input: {}, externalId: 'by-group' }
    expect(await openExternal(desk.api, key.caller, call)).toMatchObject({ state: 'pending' })
    await setFormer(null)
  })
})

// Rules: security.md 22
test.each(Object.entries(keysActs))(
  'a key that is revoked between the judgement and the record: %s is refused and writes nothing',
  async (_, act) => {
    expect(await actWhile(act, setRevoked)).toEqual(refusedWithoutTrace)
  },
)

/** What makes each of her key's acts wait, in the transaction that records it. */
const locks: Readonly<Record<string, ReturnType<typeof sql>>> = {
  openExternal: sql`select pg_advisory_xact_lock(hashtextextended(${`external ${ada.id}`}, 0))`,
  startRun: sql`select pg_advisory_xact_lock(${advisoryLocks.activation})`,
}

// Rules: security.md 22
test.each(Object.entries(keysActs))(
  'a key that is revoked while its act waits for a lock: %s is refused and writes nothing',
  async (name, act) => {
    const lock = await holdLock(db, locks[name] ?? sql`select 1`)
    const acting = refusal(act(desk.api))
    await lock.waitedForBy(1)
    await setRevoked(new Date())
    const then = await everyRow(db)
    await lock.release()
    const { code } = await acting
    expect({ code, wrote: (await everyRow(db)) !== then }).toEqual(refusedWithoutTrace)
    await setRevoked(null)
  },
)

test('concurrent acts of one person are all recorded, and none waits for another for ever', async () => {
  const conflicts: string[] = []
  const log = {
    ...desk.api.log,
    warn: (_: unknown, message: string) => void conflicts.push(message),
  }
  const ctx = { ...desk.api, log }
  const views = Array.from({ length: 6 }, (_, index) =>
    saveView(ctx, ada.caller, { page: 'inbox', name: `view ${index}`, query: 'mine=true' }),
  )
  await Promise.all([
    ...views,
    setAbsence(ctx, ada.caller, { until: tomorrow.toISOString() }),
    messageRun(ctx, ada.caller, { runId, text: 'Go on' }),
    createSignInLink(ctx, ada.caller, { email }),
  ])
  expect(await rowsOf(db, 'saved_view', { person_id: ada.id })).toHaveLength(6)
  expect(conflicts).toEqual([])
})

test.each(Object.entries({ ...keysActs, ...adasActs }))(
  'nobody is refused who is still there: %s',
  async (_, act) => {
    const outcome = await outcomeOf(act(desk.api))
    expect('refusal' in outcome ? outcome.refusal.code : '').not.toBe('unauthenticated')
  },
)

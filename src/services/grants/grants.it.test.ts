import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CallFacts } from '../../domain/request.ts'
import type { JsonObject } from '../../domain/json.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/harness/postgres.ts'
import {
  addRequest,
  addRun,
  type TestRequest,
  type TestRun,
} from '../../../test/harness/fixtures/gated-run.ts'
import { addPerson, type TestPerson } from '../../../test/harness/fixtures/people.ts'
import { refusal } from '../../../test/harness/fixtures/refusal.ts'
import { createTestService, type TestService } from '../../../test/harness/fixtures/test-service.ts'
import { decideRequest } from '../decisions/decide-request.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { findGrant } from './find-grant.ts'
import { listGrants } from './list-grants.ts'
import { revokeGrant } from './revoke-grant.ts'
import { useGrant } from './use-grant.ts'
import type { GrantedCall } from './verify-grant.ts'

let database: TestDatabase
let service: TestService
let ada: TestPerson
let grace: TestPerson
let olga: TestPerson
let run: TestRun

beforeAll(async () => {
  database = await createTestDatabase()
  service = await createTestService(database.db)
  ada = await addPerson(database.db, 'Ada', ['platform'])
  olga = await addPerson(database.db, 'Olga', ['operators'])
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(async () => {
  run = await addRun(service, { startedBy: ada })
  grace = await addPerson(database.db, 'Grace', ['platform'], `${crypto.randomUUID()}@example.com`)
})

async function grant(more: JsonObject = { scope: 'run' }): Promise<TestRequest> {
  const request = await addRequest(service, run)
  const body = { decision: 'approve', digest: request.digest, revision: 1, ...more }
  await decideRequest(service.ctx, grace.caller, { request: request.id, body })
  return request
}

function callOf(request: TestRequest, more: Partial<GrantedCall> = {}): GrantedCall {
  const path = String(request.input['path'])
  return { tool: 'write_file', digest: request.digest, toolHash: request.toolHash, path, ...more }
}

function find(call: GrantedCall, at: TestRun = run, now: CallFacts | null = null) {
  const restsOn = async () => now
  const question = { runId: at.id, rootRunId: at.rootRunId, call, restsOn }
  return findGrant(database.db, service.ctx.verifier, question)
}

const otherDigest = `sha256:${'1'.repeat(64)}`

// Rules: product.md 10
describe('a grant', () => {
  test('of scope run covers the same call of the root run and of runs below it, and nothing else', async () => {
    const request = await grant()
    const child = await addRun(service, { startedBy: ada, parent: run })
    expect(await find(callOf(request))).toMatchObject({
      ruleText: expect.stringContaining('Grace'),
    })
    expect(await find(callOf(request), child)).not.toBeNull()
    expect(await find(callOf(request, { digest: otherDigest }))).toBeNull()
    expect(await find(callOf(request, { tool: 'delete_file' }))).toBeNull()
    expect(await find(callOf(request, { toolHash: otherDigest }))).toBeNull()
    const elsewhere = await addRun(service, { startedBy: ada })
    expect(await find(callOf(request), elsewhere)).toBeNull()
  })

  test('of scope path covers the same file with any content, and no other file', async () => {
    const request = await grant({ scope: 'path' })
    expect(await find(callOf(request, { digest: otherDigest }))).not.toBeNull()
    expect(await find(callOf(request, { path: 'notes/2.md' }))).toBeNull()
    expect(await find(callOf(request, { path: null }))).toBeNull()
  })

  test('for a command covers the same vector while its files, programs and sandbox are as approved', async () => {
    const detail = { programs: [{ name: 'sh', path: '/bin/sh', hash: otherDigest }], profile: 'p' }
    const file = { path: 'notes/1.md', hash: 'absent' }
    const same: CallFacts = { toolHash: otherDigest, bases: [file], detail }
    const written = { ...same, bases: [{ ...file, hash: otherDigest }] }
    const looser = { ...same, detail: { ...detail, profile: 'q' } }
    const scopes = ['once', 'run', 'command'] as const
    const routing = { scopes }
    for (const scope of ['run', 'command'] as const) {
      run = await addRun(service, { startedBy: ada })
      const request = await addRequest(service, run, { tool: 'exec', detail, routing })
      const body = { decision: 'approve', digest: request.digest, revision: 1, scope }
      await decideRequest(service.ctx, grace.caller, { request: request.id, body })
      const call = callOf(request, { tool: 'exec' })
      expect(await find(call, run, same), scope).not.toBeNull()
      expect((await find(call, run, written)) !== null, scope).toBe(scope === 'command')
      expect(await find(call, run, looser), scope).toBeNull()
      expect(await find(call, run, null), scope).toBeNull()
      expect(await find({ ...call, digest: otherDigest }, run, same), scope).toBeNull()
    }
  })

  test('for anything but a command does not pass for one', async () => {
    const request = await grant()
    const facts = { toolHash: request.toolHash, bases: [], detail: { programs: [] } }
    expect(await find(callOf(request), run, facts)).toBeNull()
  })

  test('is not left by an approval of scope once', async () => {
    const request = await grant({})
    expect(await find(callOf(request))).toBeNull()
  })

  test('is used no more often than it allows, also by calls that run at once', async () => {
    const request = await grant({ scope: 'run', grant: { uses: 3 } })
    const found = await find(callOf(request))
    const { callId, digest } = request
    const use = () =>
      inUnitOfWork(service.ctx, (unit) =>
        useGrant(
          unit,
          { actor: { type: 'system' }, channel: 'workflow' },
          { grantId: found?.id ?? '', runId: run.id, callId, digest, policyDigest: digest },
        ),
      )
    const claims = await Promise.all(Array.from({ length: 12 }, use))
    expect(claims.filter(Boolean)).toHaveLength(3)
    expect(await find(callOf(request))).toBeNull()
  })

  test('ends at its time by the database clock', async () => {
    const expiresAt = new Date(Date.now() + 3000).toISOString()
    const request = await grant({ scope: 'run', grant: { expiresAt } })
    const [listed] = await listGrants(service.ctx, grace.caller, { runId: run.id })
    expect(listed?.expiresAt?.toISOString()).toBe(expiresAt)
    await expect.poll(() => find(callOf(request)), { timeout: 90_000 }).toBeNull()
  })

  test('holds only while its giver is enabled, in the team, and not behind the run', async () => {
    const request = await grant()
    const call = callOf(request)
    await database.db
      .updateTable('person')
      .set({ disabled_at: new Date() })
      .where('id', '=', grace.id)
      .execute()
    expect(await find(call)).toBeNull()
    await database.db
      .updateTable('person')
      .set({ disabled_at: null })
      .where('id', '=', grace.id)
      .execute()
    expect(await find(call)).not.toBeNull()
    await database.db.deleteFrom('team_member').where('person_id', '=', grace.id).execute()
    expect(await find(call)).toBeNull()
    await database.db
      .insertInto('team_member')
      .values({ team: 'platform', person_id: grace.id })
      .execute()
    const hash = await database.db.selectFrom('content').select('hash').executeTakeFirstOrThrow()
    await database.db
      .insertInto('message')
      .values({
        id: crypto.randomUUID(),
        run_id: run.id,
        sequence: 1,
        role: 'user',
        author: JSON.stringify(grace.caller.actor),
        content_hash: hash.hash,
      })
      .execute()
    expect(await find(call)).toBeNull()
  })

  test('changed in any column, copied to another run or made up by SQL, is no grant', async () => {
    const request = await grant({ scope: 'run', grant: { uses: 1 } })
    const original = await database.db
      .selectFrom('approval_grant')
      .selectAll()
      .where('root_run_id', '=', run.id)
      .executeTakeFirstOrThrow()
    const other = await addRun(service, { startedBy: ada })
    const changes = [
      { scope: 'path' as const, path: 'notes/1.md' },
      { digest: otherDigest },
      { uses_allowed: null },
      { expires_at: new Date(Date.now() + 1000) },
      { granted_by: ada.id },
      { queue: 'security' },
      { signature: 'AAAA' },
      { key_id: 'another' },
      { statement: original.statement.replace('"uses":1', '"uses":9'), uses_allowed: 9 },
      { root_run_id: other.id },
    ]
    for (const change of changes) {
      await database.db
        .updateTable('approval_grant')
        .set(change)
        .where('id', '=', original.id)
        .execute()
      const at = 'root_run_id' in change ? other : run
      const digest = 'digest' in change ? otherDigest : request.digest
      expect(await find(callOf(request, { digest }), at), JSON.stringify(change)).toBeNull()
      await database.db
        .updateTable('approval_grant')
        .set(original)
        .where('id', '=', original.id)
        .execute()
    }
    expect(await find(callOf(request))).not.toBeNull()
  })
})

// Rules: product.md 10
describe('a list of grants', () => {
  test('shows who gave what, when, how often it was used, and to whom it is revocable', async () => {
    const request = await grant()
    const [mine] = await listGrants(service.ctx, grace.caller, { runId: run.id })
    expect(mine).toMatchObject({
      scope: 'run',
      digest: request.digest,
      grantedBy: { name: 'Grace' },
      requestId: request.id,
      uses: 0,
      canRevoke: true,
    })
    const colleague = await addPerson(database.db, 'Colleague', ['platform'], 'col@example.com')
    const [theirs] = await listGrants(service.ctx, colleague.caller, { runId: run.id })
    expect(theirs?.canRevoke).toBe(false)
    await database.db.deleteFrom('team_member').where('person_id', '=', colleague.id).execute()
  })

  test('says why one that still lives covers nothing now', async () => {
    const shown = async () =>
      (await listGrants(service.ctx, ada.caller, { runId: run.id })).map(({ dormant }) => dormant)
    // The calls of these tests are of a definition that no tool has.
    const otherwise = 'the definition of write_file has changed since'
    await grant()
    expect((await shown())[0]).toBe(otherwise)
    const giver = database.db.updateTable('person').where('id', '=', grace.id)
    await giver.set({ disabled_at: new Date() }).execute()
    expect((await shown())[0]).toBe(`${grace.name} has been disabled`)
    await giver.set({ disabled_at: null }).execute()
    const team = { person_id: grace.id, team: 'platform' }
    await database.db
      .deleteFrom('team_member')
      .where('person_id', '=', team.person_id)
      .where('team', '=', team.team)
      .execute()
    expect((await shown())[0]).toContain('is in none of the teams that could decide')
    await database.db.insertInto('team_member').values(team).execute()
    expect((await shown())[0]).toBe(otherwise)
  })

  test('of a run one may not see does not exist', async () => {
    await grant()
    const stranger = await addPerson(database.db, 'Stranger', [], 'str@example.com')
    const attempt = listGrants(service.ctx, stranger.caller, { runId: run.id })
    expect((await refusal(attempt)).code).toBe('not_found')
  })
})

// Rules: product.md 10
describe('revoking a grant', () => {
  test.each(['giver', 'starter', 'who manages runs'])(
    'by its %s takes effect at once',
    async (who) => {
      const request = await grant()
      const found = await find(callOf(request))
      const person = who === 'giver' ? grace : who === 'starter' ? ada : olga
      await revokeGrant(service.ctx, person.caller, { grantId: found?.id ?? '' })
      expect(await find(callOf(request))).toBeNull()
      const [listed] = await listGrants(service.ctx, ada.caller, { runId: run.id })
      expect(listed).toMatchObject({ revokedBy: { id: person.id }, canRevoke: false })
    },
  )

  test('is refused to colleagues who did not give it', async () => {
    const request = await grant()
    const found = await find(callOf(request))
    const other = await addPerson(database.db, 'Other', ['platform'], 'other@example.com')
    const attempt = revokeGrant(service.ctx, other.caller, { grantId: found?.id ?? '' })
    expect((await refusal(attempt)).code).toBe('forbidden')
    expect(await find(callOf(request))).not.toBeNull()
  })
})

// Rules: product.md 10
test('a grant of a quorum reaches only as far as everybody approved, with the tightest bounds', async () => {
  const quorum = { any: [[{ team: 'platform', count: 2 }]] }
  const second = await addPerson(database.db, 'Second', ['platform'], 'second@example.com')
  const decide = (request: TestRequest, person: TestPerson, more: JsonObject) =>
    decideRequest(service.ctx, person.caller, {
      request: request.id,
      body: { decision: 'approve', digest: request.digest, revision: 1, ...more },
    })
  const narrow = await addRequest(service, run, { quorum })
  await decide(narrow, grace, { scope: 'run' })
  await decide(narrow, second, { scope: 'once' })
  expect(await find(callOf(narrow))).toBeNull()
  const wide = await addRequest(service, run, { quorum, position: 2 })
  await decide(wide, grace, { scope: 'run', grant: { uses: 5 } })
  await decide(wide, second, { scope: 'run', grant: { uses: 2 } })
  expect((await find(callOf(wide)))?.statement.uses).toBe(2)
})

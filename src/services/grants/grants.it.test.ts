import { beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '#domain/json/json.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { eventsAbout } from '#test/harness/fixtures/events-about.ts'
import { addRequest, addRun, type TestRequest } from '#test/harness/fixtures/gated-run.ts'
import { type TestPerson, addPerson, joinTeam } from '#test/harness/fixtures/people.ts'
import { rowOf, setRows } from '#test/harness/fixtures/rows.ts'
import { decideAs } from '#test/harness/fixtures/runs/decide-as.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { callOf, openGrants, otherDigest } from './grants.fixture.ts'
import { listGrants } from './list-grants.ts'
import { useGrant } from './use-grant.ts'
import { bySystem, workflow } from '../core/authority.ts'

const desk = disposeAfterTests(await openGrants())

beforeEach(() => desk.renew())

// Rules: product.md 10
describe('a grant', () => {
  test('of scope run covers the same call of the root run and of runs below it, and no other call', async () => {
    const request = await desk.grant()
    const child = await addRun(desk.service, { startedBy: desk.ada, parent: desk.run })
    expect(await desk.find(callOf(request))).toMatchObject({
      ruleText: expect.stringContaining('Grace'),
    })
    expect(await desk.find(callOf(request), child)).not.toBeNull()
    expect(await desk.find(callOf(request, { digest: otherDigest }))).toBeNull()
    expect(await desk.find(callOf(request, { tool: 'delete_file' }))).toBeNull()
    expect(await desk.find(callOf(request, { toolHash: otherDigest }))).toBeNull()
    const elsewhere = await addRun(desk.service, { startedBy: desk.ada })
    expect(await desk.find(callOf(request), elsewhere)).toBeNull()
  })

  test('of scope path covers the same file with any content, and no other file', async () => {
    const request = await desk.grant({ scope: 'path' })
    expect(await desk.find(callOf(request, { digest: otherDigest }))).not.toBeNull()
    expect(await desk.find(callOf(request, { path: 'notes/2.md' }))).toBeNull()
    expect(await desk.find(callOf(request, { path: null }))).toBeNull()
  })

  test('for a command covers the same vector while its files, programs and sandbox are unchanged', async () => {
    const detail = { programs: [{ name: 'sh', path: '/bin/sh', hash: otherDigest }], profile: 'p' }
    const file = { path: 'notes/1.md', hash: 'absent' }
    const same: CallFacts = { toolHash: otherDigest, bases: [file], detail }
    const written = { ...same, bases: [{ ...file, hash: otherDigest }] }
    const looser = { ...same, detail: { ...detail, profile: 'q' } }
    const scopes = ['once', 'run', 'command'] as const
    const routing = { scopes }
    for (const scope of ['run', 'command'] as const) {
      desk.run = await addRun(desk.service, { startedBy: desk.ada })
      const request = await addRequest(desk.service, desk.run, { tool: 'exec', detail, routing })
      await decideAs(desk.service.ctx, desk.grace, request, { scope })
      const call = callOf(request, { tool: 'exec' })
      expect(await desk.find(call, desk.run, same), scope).not.toBeNull()
      expect((await desk.find(call, desk.run, written)) !== null, scope).toBe(scope === 'command')
      expect(await desk.find(call, desk.run, looser), scope).toBeNull()
      expect(await desk.find(call, desk.run, null), scope).toBeNull()
      expect(await desk.find({ ...call, digest: otherDigest }, desk.run, same), scope).toBeNull()
    }
  })

  test('for another tool does not count as one for a command', async () => {
    const request = await desk.grant()
    const facts = { toolHash: request.toolHash, bases: [], detail: { programs: [] } }
    expect(await desk.find(callOf(request), desk.run, facts)).toBeNull()
  })

  test('is recorded when it is given, with its giver and limits; an approval of scope once creates none', async () => {
    const once = await desk.grant({})
    expect(await desk.find(callOf(once))).toBeNull()
    expect(await eventsAbout(desk.database.db, once.id, 'grant.given')).toEqual([])
    await desk.renew()
    const request = await desk.grant({ scope: 'run', grant: { uses: 3 } })
    const found = await desk.find(callOf(request))
    expect(await eventsAbout(desk.database.db, request.id, 'grant.given')).toMatchObject([
      {
        actor: { type: 'person', id: desk.grace.id },
        runId: desk.run.id,
        digest: request.digest,
        policyDigest: expect.stringMatching(/^sha256:/),
        detail: { grantId: found?.id, scope: 'run', tool: 'write_file', uses: 3 },
      },
    ])
  })

  test('is used no more often than it allows, also by calls that run at once', async () => {
    const request = await desk.grant({ scope: 'run', grant: { uses: 3 } })
    const use = await userOf(request)
    const claims = await Promise.all(Array.from({ length: 12 }, use))
    expect(claims.filter(Boolean)).toHaveLength(3)
    expect(await desk.find(callOf(request))).toBeNull()
  })

  test('ends at its time by the database clock', async () => {
    const expiresAt = new Date(Date.now() + 3000).toISOString()
    const request = await desk.grant({ scope: 'run', grant: { expiresAt } })
    const use = await userOf(request)
    const [listed] = await listGrants(desk.service.ctx, desk.grace.caller, { runId: desk.run.id })
    expect(listed?.expiresAt?.toISOString()).toBe(expiresAt)
    await expect.poll(() => desk.find(callOf(request)), { timeout: 90_000 }).toBeNull()
    // Also for a call that found the grant right before.
    expect(await use()).toBeNull()
  })

  test('holds only while its giver is enabled, in the team, and not behind the run', async () => {
    const request = await desk.grant()
    const call = callOf(request)
    await setRows(desk.database.db, 'person', { id: desk.grace.id }, { disabled_at: new Date() })
    expect(await desk.find(call)).toBeNull()
    await setRows(desk.database.db, 'person', { id: desk.grace.id }, { disabled_at: null })
    expect(await desk.find(call)).not.toBeNull()
    await desk.database.db
      .deleteFrom('team_member')
      .where('person_id', '=', desk.grace.id)
      .execute()
    expect(await desk.find(call)).toBeNull()
    await joinTeam(desk.database.db, desk.grace.id, 'platform')
    await addMessage(desk.grace)
    expect(await desk.find(call)).toBeNull()
  })

  test('changed in any column, copied to another run or made up by SQL, is no grant', async () => {
    const request = await desk.grant({ scope: 'run', grant: { uses: 1 } })
    const original = await rowOf(desk.database.db, 'approval_grant', { root_run_id: desk.run.id })
    const other = await addRun(desk.service, { startedBy: desk.ada })
    const changes = [
      { scope: 'path' as const, path: 'notes/1.md' },
      { digest: otherDigest },
      { uses_allowed: null },
      { expires_at: new Date(Date.now() + 1000) },
      { granted_by: desk.ada.id },
      { queue: 'security' },
      { signature: 'AAAA' },
      { key_id: 'another' },
      { statement: original.statement.replace('"uses":1', '"uses":9'), uses_allowed: 9 },
      { root_run_id: other.id },
    ]
    for (const change of changes) {
      await setRows(desk.database.db, 'approval_grant', { id: original.id }, change)
      const at = 'root_run_id' in change ? other : desk.run
      const digest = 'digest' in change ? otherDigest : request.digest
      expect(await desk.find(callOf(request, { digest }), at), JSON.stringify(change)).toBeNull()
      await setRows(desk.database.db, 'approval_grant', { id: original.id }, original)
    }
    expect(await desk.find(callOf(request))).not.toBeNull()
  })
})

// Rules: product.md 10
test('of a quorum covers only what every approval covers, with the tightest limits', async () => {
  const quorum = { any: [[{ team: 'platform', count: 2 }]] }
  const second = await addPerson(desk.database.db, 'Second', ['platform'], 'second@example.com')
  const decide = (request: TestRequest, person: TestPerson, more: JsonObject) =>
    decideAs(desk.service.ctx, person, request, more)
  const narrow = await addRequest(desk.service, desk.run, { quorum })
  await decide(narrow, desk.grace, { scope: 'run' })
  await decide(narrow, second, { scope: 'once' })
  expect(await desk.find(callOf(narrow))).toBeNull()
  const wide = await addRequest(desk.service, desk.run, { quorum, position: 2 })
  await decide(wide, desk.grace, { scope: 'run', grant: { uses: 5 } })
  await decide(wide, second, { scope: 'run', grant: { uses: 2 } })
  expect((await desk.find(callOf(wide)))?.statement.uses).toBe(2)
})

// Rules: product.md 10, 17, 18
test('of a quorum holds only while everybody whom the quorum needed could still decide', async () => {
  const { db } = desk.database
  const quorum = { any: [[{ team: 'platform', count: 2 }]] }
  const last = await addPerson(db, 'Last', ['platform'], 'last@example.com')
  const request = await addRequest(desk.service, desk.run, { quorum })
  for (const person of [desk.grace, last]) {
    await decideAs(desk.service.ctx, person, request, { scope: 'path' })
  }
  const call = callOf(request, { digest: otherDigest })
  const dormant = async () => {
    const [grant] = await listGrants(desk.service.ctx, last.caller, { runId: desk.run.id })
    return grant?.dormant
  }
  expect((await desk.find(call))?.statement.grantedBy).toBe(last.id)
  expect(await dormant()).not.toContain('could no longer decide')
  const grace = { id: desk.grace.id }
  await setRows(db, 'person', grace, { disabled_at: new Date() })
  expect(await desk.find(call)).toBeNull()
  await setRows(db, 'person', grace, { disabled_at: null })
  expect(await desk.find(call)).not.toBeNull()
  // Grace tells the run what to write: two others would have to agree to that.
  await addMessage(desk.grace)
  expect(await desk.find(call)).toBeNull()
  expect(await dormant()).toContain('could no longer decide')
})

/** A message of somebody to the run. */
async function addMessage({ caller }: TestPerson): Promise<void> {
  const { hash } = await rowOf(desk.database.db, 'content', {})
  await desk.database.db
    .insertInto('message')
    .values({
      id: crypto.randomUUID(),
      run_id: desk.run.id,
      sequence: 1,
      role: 'user',
      author: JSON.stringify(caller.actor),
      content_hash: hash,
    })
    .execute()
}

/** Takes a use of a request's grant, as the executor does for a call that found it. */
async function userOf(request: TestRequest): Promise<() => Promise<number | null>> {
  const found = await desk.find(callOf(request))
  const { callId, digest } = request
  const { ctx } = desk.service
  const runId = desk.run.id
  const use = { grantId: found?.id ?? '', runId, callId, digest, policyDigest: digest }
  return () => inUnitOfWork(ctx, bySystem(ctx, workflow), (unit) => useGrant(unit, use))
}

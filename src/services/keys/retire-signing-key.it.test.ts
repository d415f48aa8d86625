import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { holdLock } from '#test/harness/hold-lock.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { addKey } from '#test/harness/fixtures/people.ts'
import { gatedWrites } from '#test/harness/fixtures/gated-writes.ts'
import {
  keysOf,
  retiredMeanwhile,
  rotateKey,
} from '#test/harness/fixtures/keys/retired-meanwhile.ts'
import { testSigner } from '#test/harness/fixtures/keys/test-keys.ts'
import { rowOf, rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import { advisoryLocks } from '#store/connection/advisory-locks.ts'
import { signStatement, type Signer } from '#domain/statements/statement-bytes.ts'
import { bySystem, service } from '../core/authority.ts'
import type { SigningContext } from '../core/context.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { decideRequest } from '../decisions/decide-request.ts'
import { cancelRun } from '../engine/lifecycle/cancel-run.ts'
import { discardWorktree } from '../engine/lifecycle/discard-worktree.ts'
import { consumePermit } from '../external/consume-permit.ts'
import { openExternal } from '../external/open-external.ts'
import { startRun } from '../runs/starting/start-run.ts'
import { activatePolicy } from '../policy/activate-policy.ts'
import { recordSigningKey, retireSigningKeys } from './signing-keys.ts'
import { trailOf } from '#test/harness/fixtures/trail.ts'

/** The signer before the rotation. */
const firstSigner: Signer = { ...testSigner }
const { aWrite, executions, onlyCall, requestRow } = gatedWrites(() => desk)

const desk = disposeAfterTests(await openAgentDesk())
await recordSigningKey(desk.api)
const approved = await aWrite()
await desk.decide(desk.people.grace, approved.call.requestId)
const remembered = await aWrite()
await desk.decide(desk.people.grace, remembered.call.requestId, { scope: 'run' })
const ended = await aWrite()
await setRows(
  desk.database.db,
  'run',
  { id: ended.runId },
  { state: 'completed', ended_at: sql<Date>`clock_timestamp()` },
)

async function keyEvents(): Promise<unknown[]> {
  const types = ['key.created', 'key.revoked', 'grant.ended'] as const
  return trailOf(desk.database.db, {}, ...types)
}

/** A call that Ada's program asks about. */
async function askOf(api: SigningContext) {
  const program = (await addKey(desk.database.db, desk.people.ada)).caller
  const externalId = randomUUID()
  const call = { tool: 'deploy', input: { release: externalId }, externalId }
  return { program, ...(await openExternal(api, program, call)) }
}

async function approveAsked(requestId: string): Promise<void> {
  const revision = await rowOf(desk.database.db, 'request_revision', { request_id: requestId })
  const how = { reason: 'I read it', seen: revision.presentation_digest }
  await desk.decide(desk.people.grace, requestId, how)
}

/** Writes the discard of a run's worktree into the row of another one, as the old key signed it. */
async function discarded(runId: string, rootRunId: string): Promise<void> {
  const statement = { version: 1, rootRunId, by: desk.people.ada.id, discardedAt: '2026-01-01' }
  await inUnitOfWork(desk.api, bySystem(desk.api, service), async (unit) => {
    await unit.audit({ type: 'run.discarded', runId, detail: {} })
    await sql`update run set worktree = jsonb_build_object('discard', ${JSON.stringify(
      signStatement(firstSigner, 'discard', statement),
    )}::jsonb) where id = ${runId}`.execute(unit.tx)
  })
}

async function discardKeyOf(runId: string): Promise<string | undefined> {
  const { worktree } = await rowOf(desk.database.db, 'run', { id: runId })
  return worktree?.discard?.keyId
}

describe('another signing key', () => {
  // Rules: security.md 13
  test('is recorded once, and signatures of the old one stay valid', async () => {
    const { signer, verifier } = keysOf(desk)
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    verifier.publicKeys.set('new-key', publicKey)
    Object.assign(signer, { keyId: 'new-key', privateKey })
    await recordSigningKey(desk.api)
    await recordSigningKey(desk.api)
    expect(await keyEvents()).toMatchObject([
      {
        type: 'key.created',
        detail: { kind: 'signing', keyId: 'new-key', previous: 'test-key' },
      },
    ])
    const early = await aWrite()
    await desk.decide(desk.people.grace, early.call.requestId)
    expect(await desk.execute(early.call.id)).toEqual({ kind: 'done' })
  })
})

describe('a compromised signing key', () => {
  // Rules: security.md 13
  test('is retired with its grants, and live runs, versions, pins and discards are signed anew', async () => {
    const forged = await aWrite()
    // A host that is away has not removed two worktrees yet: Ada discarded one, SQL wrote the
    // discard of the other into its row.
    for (const { runId } of [ended, forged]) await discarded(runId, ended.runId)
    await setRows(
      desk.database.db,
      'run',
      { id: forged.runId },
      { key_id: 'test-key', title: 'signed by nobody' },
    )
    await retireSigningKeys(desk.api, ['test-key'])
    await retireSigningKeys(desk.api, ['test-key'])
    const { verifier } = keysOf(desk)
    const old = verifier.publicKeys.get('test-key')
    if (old === undefined) throw new Error('the old key is known')
    verifier.publicKeys.delete('test-key')
    verifier.retired = new Map([['test-key', { publicKey: old, at: new Date().toISOString() }]])
    const runs = await desk.database.db.selectFrom('run').select(['id', 'key_id']).execute()
    const keyOf = (id: string) => runs.find((run) => run.id === id)?.key_id
    expect(keyOf(approved.runId)).toBe('new-key')
    expect(keyOf(ended.runId)).toBe('test-key')
    // The old key did not sign it, so it is not signed again.
    expect(keyOf(forged.runId)).toBe('test-key')
    expect([await discardKeyOf(ended.runId), await discardKeyOf(forged.runId)]).toEqual([
      'new-key',
      'test-key',
    ])
    expect((await keyEvents()).slice(1)).toMatchObject([
      { type: 'grant.ended' },
      {
        type: 'key.revoked',
        detail: {
          kind: 'signing',
          keyId: 'test-key',
          why: 'compromised',
          grants: 1,
          permits: 2,
          signedAnew: { runs: 2, activations: 1, pins: 0, discards: 1 },
        },
      },
    ])
    expect((await desk.api.policies.inForce()).digest).toMatch(/^sha256:/)
  })

  // Rules: security.md 13; product.md 14
  test('makes its permits void: the call is refused and people are asked again', async () => {
    for (const { call, runId } of [approved, remembered]) {
      const outcome = await desk.execute(call.id)
      const fresh = (await onlyCall(runId)).requestId
      expect(outcome).toMatchObject({ kind: 'wait', requestIds: [fresh] })
      expect(fresh).not.toBe(call.requestId)
      expect(await executions(call.id)).toEqual([
        { attempt: 1, state: 'refused', reason: 'lapsed' },
      ])
    }
    const fresh = (await onlyCall(approved.runId)).requestId
    await desk.decide(desk.people.grace, fresh)
    expect(await desk.execute(approved.call.id)).toEqual({ kind: 'done' })
    expect(await desk.read(approved.path)).toBe('two\n')
  })
})

// Rules: security.md 13
describe('the retirement of a key waits for what is under way, and signs it again', () => {
  test('a version of the policy that is being activated is in force afterwards', async () => {
    const { files } = await desk.api.policies.inForce()
    const text = files.texts.get('workers/scribe.md') ?? ''
    const texts = new Map(files.texts).set('workers/scribe.md', `${text}\nWrite little.\n`)
    const { policy } = await retiredMeanwhile(desk, (db) =>
      activatePolicy({ ...desk.api, db }, { files: { ...files, texts }, note: null }),
    )
    expect((await desk.api.policies.inForce()).digest).toBe(policy.digest)
  })

  test('a decision that is being made, about a run of another key, is sealed again', async () => {
    const { call } = await aWrite()
    rotateKey(desk)
    const { digest, revision } = await requestRow(call.requestId)
    const body = { decision: 'approve', digest, revision, scope: 'once' }
    await retiredMeanwhile(desk, (db) =>
      decideRequest({ ...desk.api, db }, desk.people.grace.caller, {
        request: call.requestId,
        body,
      }),
    )
    const [decision] = await rowsOf(desk.database.db, 'decision', { request_id: call.requestId })
    expect(desk.api.seals.holds('decision', { ...decision })).toBe(true)
  })

  test('the discard of a worktree is carried out by a host that is away', async () => {
    const worktree = JSON.stringify({ branch: 'run', base: 'main', baseCommit: 'a' })
    await setRows(desk.database.db, 'run', { id: ended.runId }, { worktree })
    await retiredMeanwhile(desk, (db) =>
      discardWorktree({ ...desk.api, db }, desk.people.ada.caller, { runId: ended.runId }),
    )
    expect(await discardKeyOf(ended.runId)).toBe(desk.api.signer.keyId)
  })

  test('a request that a program is opening can be approved, and its call made', async () => {
    const { program, requestId } = await retiredMeanwhile(desk, (db) => askOf({ ...desk.api, db }))
    await approveAsked(requestId)
    const { digest } = await requestRow(requestId)
    const taken = await consumePermit(desk.api, program, { request: requestId, digest })
    expect(taken).toMatchObject({ requestId, digest })
  })

  test('a run that is being started goes on, and carries out what is approved', async () => {
    const { ada, grace } = desk.people
    const { id: runId } = await retiredMeanwhile(desk, (db) =>
      startRun({ ...desk.api, db }, ada.caller, { worker: 'scribe', input: 'Write' }),
    )
    const input = { path: 'notes/meanwhile.md', content: 'written\n' }
    desk.say({ text: 'I write.', calls: [{ tool: 'write_file', input }] })
    await desk.turn(runId, 1)
    const call = await onlyCall(runId)
    await desk.decide(grace, call.requestId)
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    expect(await desk.read(input.path)).toBe('written\n')
  })
})

// Rules: security.md 13
test('while decisions and requests of programs are sealed again, which can take a minute, nobody waits for the retirement of a key', async () => {
  const { db } = desk.database
  const { requestId } = await askOf(desk.api)
  await approveAsked(requestId)
  const compromised = rotateKey(desk)
  const held = await holdLock(
    db,
    sql`select from external_request where request_id = ${requestId} for update`,
  )
  const retirement = retireSigningKeys(desk.api, [compromised])
  await held.waitedForBy(1)
  const rights = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock_shared(${advisoryLocks.activation}) as locked`.execute(db)
  const free = async (table: 'person' | 'decision') =>
    (await sql`select from ${sql.table(table)} for share skip locked`.execute(db)).rows.length
  const counts = [await free('person'), await free('decision')]
  const [sealed] = await rowsOf(db, 'decision', { request_id: requestId }, 'seal')
  await held.release()
  await retirement
  const decisions = await rowsOf(db, 'decision', {})
  expect(rights.rows).toEqual([{ locked: true }])
  expect(counts).toEqual([Object.keys(desk.people).length, decisions.length])
  const [external] = await rowsOf(db, 'external_request', { request_id: requestId }, 'seal')
  for (const row of [sealed, external]) {
    expect(row?.seal).toMatch(new RegExp(`^${desk.api.signer.keyId}\\.`))
  }
})

// Rules: security.md 13
test('while the retirement of a key waits for a person, their run can be cancelled', async () => {
  const { db } = desk.database
  const { runId } = await aWrite()
  const compromised = rotateKey(desk)
  const people = await holdLock(db, sql`select from person for share`)
  const retirement = retireSigningKeys(desk.api, [compromised])
  await people.waitedForBy(1)
  await cancelRun(desk.api, desk.people.ada.caller, { runId })
  await people.release()
  await retirement
  expect(await rowOf(db, 'run', { id: runId })).toMatchObject({ state: 'cancelled' })
})

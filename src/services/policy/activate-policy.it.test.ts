import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { signStatement } from '#domain/statements/statement-bytes.ts'
import type { Policy, ProjectFiles } from '#policy/policy.ts'
import { policyDocument } from '#policy/version-digest.ts'
import { toJsonb } from '#store/database.ts'
import { auditDocuments } from '#test/harness/fixtures/events-about.ts'
import { sealRows } from '#test/harness/fixtures/keys/test-keys.ts'
import { addPerson } from '#test/harness/fixtures/people.ts'
import { fixtureFiles, policyOf } from '#test/harness/fixtures/project.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { rowOf, setRows } from '#test/harness/fixtures/rows.ts'
import type { PolicyReader, SigningContext } from '../core/context.ts'
import { activatePolicy } from './activate-policy.ts'
import { createPolicyReader } from './activations/policy-reader.ts'

interface World extends AsyncDisposable {
  readonly ctx: SigningContext
  readonly db: SigningContext['db']
  /** a reader that has cached nothing, as in a process that has just started */
  fresh(): PolicyReader
  activate(files: ProjectFiles): ReturnType<typeof activatePolicy>
}

/** An installation of its own: nothing is activated yet. */
async function createWorld(): Promise<World> {
  const database = await createTestDatabase()
  const { ctx: plain } = await createTestService(database.db)
  const ctx = { ...plain, policies: createPolicyReader(plain) }
  return {
    ctx,
    db: database.db,
    fresh: () => createPolicyReader(ctx),
    activate: (files) => activatePolicy(ctx, { files, note: 'uncommitted' }),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

/** The fixture folder, its configuration changed. */
function folder(change: (config: string) => string): ProjectFiles {
  const texts = new Map(fixtureFiles.texts)
  texts.set('countersign.yaml', change(texts.get('countersign.yaml') ?? ''))
  return { texts, toolFiles: [] }
}

const strict = folder((config) => `${config}# strict\n`)
const loose = folder((config) =>
  config.replace('manageRuns: [operators]', 'manageRuns: [platform]'),
)

async function auditTrail(world: World, type: string) {
  return auditDocuments(world.db, { type })
}

/** What somebody who can only write rows can do: a version and its activation, without the key. */
async function insertBySql(world: World, policy: Policy, sequence: number): Promise<void> {
  const forged = signStatement(world.ctx.signer, 'run', {
    version: 1,
    policyDigest: policy.digest,
    previousDigest: null,
    activatedAt: new Date(0).toISOString(),
    sequence,
  })
  await world.db
    .insertInto('policy_version')
    .values({ digest: policy.digest, document: toJsonb(policyDocument(policy.files)) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await world.db
    .insertInto('policy_activation')
    .values({
      sequence,
      digest: policy.digest,
      statement: forged.statement,
      signature: forged.signature,
      key_id: forged.keyId,
      actor: toJsonb({ type: 'system' }),
      note: null,
    })
    .execute()
}

test('nothing is in force before the first activation', async () => {
  await using world = await createWorld()
  await expect(world.ctx.policies.inForce()).rejects.toMatchObject({ code: 'unavailable' })
})

test('an activated version is in force in every process, and older versions stay readable', async () => {
  await using world = await createWorld()
  const first = await world.activate(fixtureFiles)
  expect(first).toMatchObject({ changed: true, sequence: 1 })
  const second = await world.activate(loose)
  expect(second).toMatchObject({ changed: true, sequence: 2 })
  for (const reader of [world.ctx.policies, world.fresh()]) {
    expect((await reader.inForce()).digest).toBe(second.policy.digest)
    expect((await reader.byDigest(first.policy.digest)).config.rights.manageRuns).toEqual([
      { team: 'operators' },
    ])
  }
})

test('a return to an older version is an activation of its own; the same version twice is not', async () => {
  await using world = await createWorld()
  await world.activate(fixtureFiles)
  await world.activate(loose)
  expect(await world.activate(fixtureFiles)).toMatchObject({ changed: true, sequence: 3 })
  expect(await world.activate(fixtureFiles)).toMatchObject({ changed: false, sequence: 3 })
  expect(await auditTrail(world, 'policy.activated')).toHaveLength(3)
})

test('the trail says who activated which version and what differs', async () => {
  await using world = await createWorld()
  const first = await world.activate(fixtureFiles)
  const second = await world.activate(loose)
  expect((await auditTrail(world, 'policy.activated'))[1]).toMatchObject({
    actor: { type: 'system' },
    policyDigest: second.policy.digest,
    detail: {
      sequence: 2,
      previousDigest: first.policy.digest,
      note: 'uncommitted',
      changed: ['countersign.yaml'],
      added: [],
      removed: [],
      settings: ['rights'],
      changes: [{ at: 'rights.manageRuns', before: 'operators', after: 'platform' }],
      people: [],
    },
  })
})

test('people and teams become those of the version; a person who is no longer in a team stays a person', async () => {
  await using world = await createWorld()
  const members = () =>
    world.db
      .selectFrom('team_member')
      .innerJoin('person', 'person.id', 'team_member.person_id')
      .select(['team', 'email', 'name'])
      .where('team', '=', 'platform')
      .orderBy('email')
      .execute()
  await world.activate(fixtureFiles)
  expect(await members()).toEqual([
    { team: 'platform', email: 'grace@example.com', name: 'Grace' },
    { team: 'platform', email: 'linus@example.com', name: 'Linus' },
  ])
  await world.db.updateTable('person').set({ disabled_at: new Date() }).execute()
  for (const email of ['ada', 'grace', 'linus'])
    await sealRows(world.db, 'person', 'email', `${email}@example.com`)
  await world.activate(
    folder((config) => config.replace('[grace@example.com, linus@', '[ada@example.com, linus@')),
  )
  expect((await members()).map((member) => member.email)).toEqual([
    'ada@example.com',
    'linus@example.com',
  ])
  const grace = await rowOf(world.db, 'person', { email: 'grace@example.com' })
  expect(grace.disabled_at).not.toBeNull()
})

test('a member that was put into a team by SQL is out of it after the next start', async () => {
  await using world = await createWorld()
  await world.activate(fixtureFiles)
  const mallory = await addPerson(world.db, 'Mallory', ['platform', 'security'])
  expect(await world.activate(fixtureFiles)).toMatchObject({ changed: false })
  const teams = world.db.selectFrom('team_member').where('person_id', '=', mallory.id)
  expect(await teams.selectAll().execute()).toEqual([])
})

test('files that are not valid are refused with every problem, recorded, and change nothing', async () => {
  await using world = await createWorld()
  const { policy } = await world.activate(fixtureFiles)
  const broken = folder((config) => config.replace('queue: platform', 'queue: plattform'))
  await expect(world.activate(broken)).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringMatching(/^countersign.yaml:12: .*did you mean "platform"/),
    facts: { problems: [expect.objectContaining({ file: 'countersign.yaml', line: 12 })] },
  })
  expect((await world.fresh().inForce()).digest).toBe(policy.digest)
  expect(await auditTrail(world, 'policy.rejected')).toMatchObject([
    { detail: { problems: 1, at: [{ file: 'countersign.yaml', line: 12 }] } },
  ])
})

test('a version and an activation that were inserted by SQL are never used', async () => {
  await using world = await createWorld()
  const { policy } = await world.activate(strict)
  const forged = policyOf(loose)
  await insertBySql(world, forged, 99)
  for (const reader of [world.ctx.policies, world.fresh()]) {
    expect((await reader.inForce()).digest).toBe(policy.digest)
    await expect(reader.byDigest(forged.digest)).rejects.toMatchObject({ code: 'unavailable' })
  }
})

test('a genuine activation that is copied to a newer sequence does not take force again', async () => {
  await using world = await createWorld()
  await world.activate(loose)
  const { policy } = await world.activate(strict)
  await sql`
    insert into policy_activation (sequence, digest, statement, signature, key_id, actor)
    select 50, digest, statement, signature, key_id, actor from policy_activation where sequence = 1
  `.execute(world.db)
  expect((await world.fresh().inForce()).digest).toBe(policy.digest)
})

test('changing or removing the newest activation puts no older one in force: nothing is in force', async () => {
  await using world = await createWorld()
  const first = await world.activate(loose)
  await world.activate(strict)
  const { digest } = await world.ctx.policies.inForce()
  await sql`update policy_activation set digest = ${first.policy.digest} where sequence = 2`.execute(
    world.db,
  )
  await expect(world.fresh().inForce()).rejects.toMatchObject({ code: 'unavailable' })
  await sql`delete from policy_activation where sequence = 2`.execute(world.db)
  await expect(world.ctx.policies.inForce()).rejects.toMatchObject({
    message: expect.stringContaining('Activation 2 of the policy was changed or removed'),
  })
  expect(world.ctx.policies.lastTrusted()?.digest).toBe(digest)
  expect(world.fresh().lastTrusted()).toBeNull()
})

test('activating again repairs rows that were changed or are in the way', async () => {
  await using world = await createWorld()
  await world.activate(loose)
  const { policy } = await world.activate(strict)
  await sql`delete from policy_activation where sequence = 2`.execute(world.db)
  await insertBySql(world, policyOf(loose), 3)
  expect(await world.activate(strict)).toMatchObject({ changed: true, sequence: 4 })
  expect((await world.fresh().inForce()).digest).toBe(policy.digest)
})

test('a stored version whose text was changed by SQL is refused, and repaired by activating it again', async () => {
  await using world = await createWorld()
  const { policy } = await world.activate(strict)
  await setRows(
    world.db,
    'policy_version',
    { digest: policy.digest },
    { document: toJsonb(policyDocument(loose)) },
  )
  await expect(world.fresh().inForce()).rejects.toMatchObject({
    message: expect.stringContaining('was changed in the database'),
  })
  expect(await world.activate(strict)).toMatchObject({ changed: true, sequence: 2 })
  expect((await world.fresh().inForce()).digest).toBe(policy.digest)
})

test('activations at the same time run one after the other', async () => {
  await using world = await createWorld()
  const versions = [1, 2, 3, 4, 5].map((n) => folder((config) => `${config}# ${n}\n`))
  const done = await Promise.all(versions.map((files) => world.activate(files)))
  expect(new Set(done.map((one) => one.sequence))).toEqual(new Set([1, 2, 3, 4, 5]))
  const newest = done.find((one) => one.sequence === 5)
  expect((await world.fresh().inForce()).digest).toBe(newest?.policy.digest)
})

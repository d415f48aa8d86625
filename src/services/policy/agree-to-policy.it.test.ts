import { expect, test } from 'vitest'
import { signStatement } from '#domain/statements/statement-bytes.ts'
import type { ProjectFiles } from '#policy/policy.ts'
import { policyDigest, policyDocument } from '#policy/version-digest.ts'
import { toJsonb } from '#store/database.ts'
import { auditDocuments } from '#test/harness/fixtures/events-about.ts'
import { addKey } from '#test/harness/fixtures/people.ts'
import { fixtureFiles } from '#test/harness/fixtures/project.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { rowOf, setRows } from '#test/harness/fixtures/rows.ts'
import type { Caller, SigningSystemContext } from '../core/context.ts'
import { activatePolicy } from './activate-policy.ts'
import { agreeToPolicy, type Agreement } from './agree-to-policy.ts'
import { cancelProposal } from './cancel-proposal.ts'
import { createPolicyReader } from './activations/policy-reader.ts'

type Name = 'edsger' | 'olga' | 'grace' | 'ada'

/** The fixture folder with its configuration changed; Edsger and Olga may activate. */
function folder(change: (config: string) => string): ProjectFiles {
  const texts = new Map(fixtureFiles.texts)
  const config = `${texts.get('countersign.yaml') ?? ''}  activatePolicy: [security, operators]\n`
  texts.set('countersign.yaml', change(config))
  return { texts, toolFiles: [] }
}
const base = folder((config) => config)
const harmless = folder((config) => config.replace('72h', '36h'))
const weaker = folder((config) => config.replace('permitFor: 30d', 'selfApproval: true'))

async function createWorld() {
  const database = await createTestDatabase()
  const { ctx: plain } = await createTestService(database.db)
  const ctx: SigningSystemContext = { ...plain, policies: createPolicyReader(plain) }
  await activatePolicy(ctx, { files: base, note: null })
  const rows = await database.db.selectFrom('person').select(['id', 'name', 'email']).execute()
  const person = (name: Name): Caller => {
    const row = rows.find((one) => one.email === `${name}@example.com`)
    return {
      actor: { type: 'person', id: row?.id ?? '', name: row?.name ?? '' },
      channel: 'dashboard',
    }
  }
  const idOf = (name: Name): string => (person(name).actor as { id: string }).id
  return {
    ctx,
    db: database.db,
    person,
    idOf,
    agree: (name: Name, files: ProjectFiles, digest = policyDigest(files)): Promise<Agreement> =>
      agreeToPolicy(ctx, person(name), { files, note: 'commit 1', digest }),
    inForce: async () => (await ctx.policies.inForce()).digest,
    async trail(type: string) {
      return auditDocuments(database.db, { type })
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

async function proposed(agreement: Promise<Agreement>) {
  const made = await agreement
  if (made.state !== 'proposed') throw new Error(`it is ${made.state}`)
  return made.proposal
}

test('a version that changes neither teams, quorum, self-approval nor rights takes one person', async () => {
  await using world = await createWorld()
  expect(await world.agree('edsger', harmless)).toMatchObject({ state: 'activated', sequence: 2 })
  expect(await world.inForce()).toBe(policyDigest(harmless))
  expect((await world.trail('policy.activated'))[1]).toMatchObject({
    actor: { type: 'person', id: world.idOf('edsger') },
    detail: {
      people: [world.idOf('edsger')],
      note: 'commit 1',
      changes: [{ at: 'queues.platform.expiresAfter', before: '3d', after: '36h' }],
    },
  })
  expect(await world.agree('olga', harmless)).toMatchObject({ state: 'in_force', sequence: 2 })
})

test('a version that changes who decides takes force only when a second, different person agrees to the same digest', async () => {
  await using world = await createWorld()
  const first = await proposed(world.agree('edsger', weaker))
  expect(await world.inForce()).toBe(policyDigest(base))
  expect((await proposed(world.agree('edsger', weaker))).id).toBe(first.id)
  expect(await world.inForce()).toBe(policyDigest(base))
  expect(await world.agree('olga', weaker)).toMatchObject({ state: 'activated', sequence: 2 })
  expect(await world.inForce()).toBe(policyDigest(weaker))
  expect(await world.trail('policy.proposed')).toMatchObject([
    {
      actor: { id: world.idOf('edsger') },
      policyDigest: policyDigest(weaker),
      detail: { proposalId: first.id, settings: ['queues'] },
    },
  ])
  expect((await world.trail('policy.activated'))[1]).toMatchObject({
    actor: { id: world.idOf('olga') },
    detail: { people: [world.idOf('edsger'), world.idOf('olga')] },
  })
  const row = await rowOf(world.db, 'policy_activation', { sequence: 2 })
  expect(JSON.parse(row.statement).people).toEqual([world.idOf('edsger'), world.idOf('olga')])
})

test('people without the right and machines neither propose nor confirm nor cancel', async () => {
  await using world = await createWorld()
  const refused = { code: 'forbidden' }
  await expect(world.agree('grace', harmless)).rejects.toMatchObject(refused)
  const { id } = await proposed(world.agree('edsger', weaker))
  await expect(world.agree('grace', weaker)).rejects.toMatchObject(refused)
  const owner = { id: world.idOf('olga'), name: 'Olga', caller: world.person('olga') }
  const { caller: machine } = await addKey(world.db, owner)
  const input = { files: weaker, note: null, digest: policyDigest(weaker) }
  await expect(agreeToPolicy(world.ctx, machine, input)).rejects.toMatchObject(refused)
  for (const caller of [machine, world.person('grace')]) {
    const cancelled = cancelProposal(world.ctx, caller, { proposalId: id })
    await expect(cancelled).rejects.toMatchObject(refused)
  }
  expect(await world.inForce()).toBe(policyDigest(base))
})

test('another digest than the one that was shown is refused, and nothing is proposed', async () => {
  await using world = await createWorld()
  const stale = { code: 'stale_digest', facts: { digest: policyDigest(weaker) } }
  await expect(world.agree('edsger', weaker, policyDigest(harmless))).rejects.toMatchObject(stale)
  expect(await world.trail('policy.proposed')).toEqual([])
})

test('a process with another copy of the folder refuses, and does not change the proposal of the others', async () => {
  await using world = await createWorld()
  await proposed(world.agree('edsger', weaker))
  const behind = world.agree('olga', base, policyDigest(weaker))
  await expect(behind).rejects.toMatchObject({ code: 'stale_digest' })
  expect(await world.trail('policy.withdrawn')).toEqual([])
  expect(await world.agree('olga', weaker)).toMatchObject({ state: 'activated' })
})

test('a folder that changed since supersedes the proposal: nobody confirms files that they were not shown', async () => {
  await using world = await createWorld()
  const first = await proposed(world.agree('edsger', weaker))
  const weakest = folder((config) => config.replaceAll('team: platform', 'team: operators'))
  const second = await proposed(world.agree('olga', weakest))
  expect(second.id).not.toBe(first.id)
  expect(await world.trail('policy.withdrawn')).toMatchObject([
    { detail: { proposalId: first.id, why: 'superseded' } },
  ])
  expect(await world.agree('edsger', weakest)).toMatchObject({ state: 'activated' })
})

test('a version that took force meanwhile supersedes the proposal: the difference is another one', async () => {
  await using world = await createWorld()
  const first = await proposed(world.agree('edsger', weaker))
  await world.agree('olga', harmless)
  const again = await proposed(world.agree('olga', weaker))
  expect(again).toMatchObject({
    previous_digest: policyDigest(harmless),
    proposed_by: world.idOf('olga'),
  })
  expect(again.id).not.toBe(first.id)
})

test('a cancelled or expired proposal cannot be confirmed', async () => {
  await using world = await createWorld()
  const first = await proposed(world.agree('edsger', weaker))
  await cancelProposal(world.ctx, world.person('olga'), { proposalId: first.id })
  await expect(
    cancelProposal(world.ctx, world.person('olga'), { proposalId: first.id }),
  ).rejects.toMatchObject({ code: 'not_found' })
  const second = await proposed(world.agree('olga', weaker))
  expect(second.proposed_by).toBe(world.idOf('olga'))
  const past = new Date(Date.now() - 1000)
  const statement = {
    version: 1,
    proposalId: second.id,
    policyDigest: second.digest,
    previousDigest: second.previous_digest,
    proposedBy: second.proposed_by,
    expiresAt: past.toISOString(),
  }
  const signed = signStatement(world.ctx.signer, 'proposal', statement)
  await setRows(
    world.db,
    'policy_proposal',
    { id: second.id },
    { expires_at: past, statement: signed.statement, signature: signed.signature },
  )
  const third = await proposed(world.agree('edsger', weaker))
  expect(third.id).not.toBe(second.id)
  expect((await world.trail('policy.withdrawn')).map((event) => event.detail.why)).toEqual([
    'cancelled',
    'expired',
  ])
  expect(await world.inForce()).toBe(policyDigest(base))
})

// Rules: security.md 29
test.each(['withdrawn', 'superseded', 'activated'] as const)(
  'a proposal that was %s stays so when SQL opens it again: nobody activates it alone',
  async (end) => {
    await using world = await createWorld()
    const first = await proposed(world.agree('edsger', weaker))
    if (end === 'withdrawn') {
      await cancelProposal(world.ctx, world.person('edsger'), { proposalId: first.id })
    } else if (end === 'superseded') {
      await world.agree('edsger', harmless)
    } else await world.agree('olga', weaker)
    // Back to the version that the proposal is compared with.
    for (const name of ['edsger', 'olga'] as const) await world.agree(name, base)
    const row = { state: 'open', ended_at: null, ended_by: null } as const
    await setRows(world.db, 'policy_proposal', { id: first.id }, row)
    const again = await proposed(world.agree('olga', weaker))
    expect(again.id).not.toBe(first.id)
    expect(await world.inForce()).toBe(policyDigest(base))
  },
)

test('the agreement of a proposer who lost the right or was disabled does not count', async () => {
  await using world = await createWorld()
  await world.agree('edsger', weaker)
  await setRows(world.db, 'person', { id: world.idOf('edsger') }, { disabled_at: new Date() })
  await expect(world.agree('olga', weaker)).rejects.toMatchObject({ code: 'conflict' })
  expect(await world.inForce()).toBe(policyDigest(base))
})

test('a version that nobody else could agree to is refused at once, and the refusal says what to do', async () => {
  await using world = await createWorld()
  const alone = folder((config) => config.replace('[security, operators]', '[security]'))
  await world.agree('edsger', alone)
  await world.agree('olga', alone)
  expect(await world.inForce()).toBe(policyDigest(alone))
  await expect(world.agree('edsger', weaker)).rejects.toMatchObject({
    code: 'unreachable_approvers',
    message: expect.stringContaining('Nobody else holds the right activatePolicy'),
  })
  expect(await world.trail('policy.proposed')).toHaveLength(1)
})

test('a proposal that was inserted or rewritten by SQL does not count', async () => {
  await using world = await createWorld()
  await world.db
    .insertInto('policy_version')
    .values({ digest: policyDigest(weaker), document: toJsonb(policyDocument(weaker)) })
    .execute()
  await world.db
    .insertInto('policy_proposal')
    .values({
      id: '01a200d3-152e-74af-bb62-a47792619cda',
      digest: policyDigest(weaker),
      previous_digest: policyDigest(base),
      proposed_by: world.idOf('edsger'),
      note: null,
      statement: '{}',
      signature: '',
      key_id: 'test-key',
      expires_at: new Date(Date.now() + 60_000),
    })
    .execute()
  expect((await proposed(world.agree('olga', weaker))).proposed_by).toBe(world.idOf('olga'))
  await setRows(world.db, 'policy_proposal', {}, { proposed_by: world.idOf('edsger') })
  expect((await proposed(world.agree('olga', weaker))).proposed_by).toBe(world.idOf('olga'))
  expect(await world.inForce()).toBe(policyDigest(base))
})

test('concurrent agreements run one after the other: of two people one proposes and one activates, and one person twice proposes once', async () => {
  await using world = await createWorld()
  const both = await Promise.all([world.agree('edsger', weaker), world.agree('olga', weaker)])
  expect(both.map((one) => one.state).toSorted()).toEqual(['activated', 'proposed'])
  expect(await world.trail('policy.activated')).toHaveLength(2)
  expect(await world.trail('policy.proposed')).toHaveLength(1)
  const again = await Promise.all([world.agree('edsger', base), world.agree('edsger', base)])
  expect(again.map((one) => one.state)).toEqual(['proposed', 'proposed'])
  expect(await world.trail('policy.proposed')).toHaveLength(2)
})

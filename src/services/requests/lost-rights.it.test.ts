import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { addRequest, addRun, type TestRequest } from '#test/harness/fixtures/gated-run.ts'
import { judgedCall } from '#test/harness/fixtures/judged-call.ts'
import { addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { signInByGroups } from '#test/harness/fixtures/provider-sign-in.ts'
import { outcomeOf } from '#test/harness/fixtures/refusal.ts'
import { decideAs } from '#test/harness/fixtures/runs/decide-as.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { holdLock } from '#test/harness/hold-lock.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { disablePerson } from '../access/disable-person.ts'
import { unlinkIdentity } from '../access/oidc/unlink-identity.ts'
import { revokePermit } from '../permits/revoke-permit.ts'
import { activatePolicy } from '../policy/activate-policy.ts'
import { reviseRequest } from '../revising/revise-request.ts'
import { claimRequest } from './claim-request.ts'
import { commentRequest } from './comment-request.ts'
import { extendRequest } from './extend-request.ts'
import { handOverRequest } from './hand-over-request.ts'

const { db } = disposeAfterTests(await createTestDatabase())
const service = await createTestService(db)
const { ctx, policy } = service
const ada = await addPerson(db, 'Ada', [])
const olga = await addPerson(db, 'Olga', ['operators'])
const run = await addRun(service, { startedBy: ada })
service.answerJudging(async (question) => judgedCall(service, question, {}))

/** Where Olga has the right managePeople. */
const rights = { ...policy.config.rights, managePeople: [{ team: 'operators' }] }
const managed = { ...policy, config: { ...policy.config, rights } }
const managing = { ...ctx, policies: { ...ctx.policies, inForce: async () => managed } }

interface Place {
  readonly request: TestRequest
  readonly person: TestPerson
  readonly colleague: TestPerson
}

/** What people of the queue do, with its event and a table that only it writes. */
const acts = {
  extend: {
    type: 'request.extended',
    writes: 'request',
    by: ({ request: { id }, person }: Place) =>
      extendRequest(ctx, person.caller, {
        request: id,
        expiresAt: new Date(Date.now() + 9 * 86_400_000).toISOString(),
      }),
  },
  claim: {
    type: 'request.claimed',
    writes: 'claim',
    by: ({ request: { id }, person }: Place) => claimRequest(ctx, person.caller, { request: id }),
  },
  comment: {
    type: 'request.commented',
    writes: 'comment',
    by: ({ request: { id }, person }: Place) =>
      commentRequest(ctx, person.caller, { request: id, text: 'why?' }),
  },
  'hand over': {
    type: 'request.handed_over',
    writes: 'request_handover',
    by: ({ request: { id }, person, colleague }: Place) =>
      handOverRequest(ctx, person.caller, { request: id, to: colleague.id }),
  },
  'hand over to them': {
    type: 'request.handed_over',
    writes: 'request_handover',
    by: ({ request: { id }, person, colleague }: Place) =>
      handOverRequest(ctx, colleague.caller, { request: id, to: person.id }),
  },
  revise: {
    type: 'request.revised',
    writes: 'request_revision',
    by: ({ request: { id, digest }, person }: Place) =>
      reviseRequest(ctx, person.caller, {
        request: id,
        digest,
        revision: 1,
        input: { path: 'notes/1.md', content: 'changed\n' },
      }),
  },
  'revoke a permit': {
    type: 'permit.revoked',
    writes: 'permit',
    by: ({ request: { id }, person }: Place) =>
      revokePermit(ctx, person.caller, { request: id, reason: 'no' }),
  },
  decide: {
    type: 'decision.recorded',
    writes: 'decision',
    by: ({ request, person }: Place) => decideAs(ctx, person, request),
  },
}

const emailOf = ({ name }: TestPerson) => `${name}@example.com`

/** How somebody stops being one of them. */
const ends = {
  'a version': {
    change: 'membership_ended',
    by: () => activatePolicy(ctx, { files: policy.files, note: null }),
  },
  'a sign-in without the group': {
    change: 'membership_ended',
    by: (person: TestPerson) => signInByGroups(ctx, policy, { email: emailOf(person), groups: [] }),
  },
  'being disabled': {
    change: 'person_disabled',
    by: (person: TestPerson) => disablePerson(managing, olga.caller, { email: emailOf(person) }),
  },
}

const cases = Object.keys(acts).flatMap((act) =>
  Object.keys(ends).map((end) => [act as keyof typeof acts, end as keyof typeof ends] as const),
)
let places = 0

async function newPlace(act: string, end: string): Promise<Place> {
  places += 1
  const isByGroup = end === 'a sign-in without the group'
  const person = await addPerson(db, `person-${places}`, isByGroup ? [] : ['platform'])
  if (isByGroup) await signInByGroups(ctx, policy, { email: emailOf(person), groups: ['ops'] })
  const colleague = await addPerson(db, `colleague-${places}`, ['platform'])
  const request = await addRequest(service, run, { position: places })
  if (act === 'revoke a permit') await decideAs(ctx, colleague, request)
  return { request, person, colleague }
}

/** The event of the act and the one that ended the right, in the order of the trail. */
async function eventsOf({ request, person }: Place, type: string, change: string) {
  const ending = JSON.stringify({ detail: { personId: person.id, change } })
  const { rows } = await sql<{ type: string }>`
    select type from audit_event join audit_unsequenced on event_id = id
    where (request_id = ${request.id} and type = ${type}) or document::jsonb @> ${ending}::jsonb
    order by place`.execute(db)
  return rows.map((row) => row.type)
}

// Rules: product.md 18; security.md 22
describe('somebody who stops being one of the people of a queue', () => {
  test.each(cases)('while they %s, by %s, does so after it', async (act, end) => {
    const place = await newPlace(act, end)
    const { type, writes, by } = acts[act]
    const held = await holdLock(db, sql`lock table ${sql.table(writes)} in share mode`)
    const acting = by(place)
    await held.waitedForBy(1)
    const ending = ends[end].by(place.person)
    await Promise.race([ending, held.waitedForBy(2)])
    await held.release()
    await Promise.all([acting, ending])
    const { change } = ends[end]
    expect(await eventsOf(place, type, change)).toEqual([type, 'credential.changed'])
  })

  test.each(cases)('before they %s, by %s, is refused', async (act, end) => {
    const place = await newPlace(act, end)
    const held = await holdLock(db, sql`lock table audit_event in share mode`)
    const ending = ends[end].by(place.person)
    await held.waitedForBy(1)
    const acting = outcomeOf<unknown>(acts[act].by(place))
    await Promise.race([acting, held.waitedForBy(2)])
    await held.release()
    const [outcome] = await Promise.all([acting, ending])
    // Somebody who is no longer of the team may not even see a request that they decide.
    const code = 'refusal' in outcome ? outcome.refusal.code : null
    expect(['not_eligible', 'not_found']).toContain(code)
    expect(await eventsOf(place, acts[act].type, ends[end].change)).toEqual(['credential.changed'])
  })
})

test('a sign-in at a provider and the removal of the accounts of its person follow one another, without a deadlock', async () => {
  const { person } = await newPlace('claim', 'a sign-in without the group')
  const email = emailOf(person)
  const held = await holdLock(db, accountOf(person))
  const signingIn = signInByGroups(ctx, policy, { email, groups: ['ops'] })
  await held.waitedForBy(1)
  const unlinking = unlinkIdentity(managing, olga.caller, { email })
  await held.waitedForBy(2)
  await held.release()
  await Promise.all([signingIn, unlinking])
  expect(service.warnings).toEqual([])
})

const accountOf = ({ id }: TestPerson) =>
  sql`select from identity where person_id = ${id} for update`

describe('a sign-in by which nobody loses a team', () => {
  test('delays no decision', async () => {
    const signing = await newPlace('claim', 'a sign-in without the group')
    const { person, request } = await newPlace('decide', 'a version')
    const done: string[] = []
    const held = await holdLock(db, accountOf(signing.person))
    const signingIn = signInByGroups(ctx, policy, {
      email: emailOf(signing.person),
      groups: ['ops'],
    }).then(() => done.push('sign-in'))
    await held.waitedForBy(1)
    const deciding = decideAs(ctx, person, request).then(() => done.push('decision'))
    await Promise.race([deciding, held.waitedForBy(2)])
    await held.release()
    await Promise.all([signingIn, deciding])
    expect(done).toEqual(['decision', 'sign-in'])
  })

  test('waits for no decision', async () => {
    const signing = await newPlace('claim', 'a sign-in without the group')
    const { person, request } = await newPlace('decide', 'a version')
    const done: string[] = []
    const held = await holdLock(db, sql`lock table decision in share mode`)
    const deciding = decideAs(ctx, person, request).then(() => done.push('decision'))
    await held.waitedForBy(1)
    const signingIn = signInByGroups(ctx, policy, {
      email: emailOf(signing.person),
      groups: ['ops'],
    }).then(() => done.push('sign-in'))
    await Promise.race([signingIn, held.waitedForBy(2)])
    await held.release()
    await Promise.all([signingIn, deciding])
    expect(done).toEqual(['sign-in', 'decision'])
  })
})

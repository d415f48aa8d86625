import { expect, test } from 'vitest'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { createPolicyReader } from '#services/policy/activations/policy-reader.ts'
import { activateFolder } from '#services/policy/activate-policy.ts'
import { fixtureFiles } from '../harness/fixtures/project.ts'
import { addSession, registeredPasskey } from '../harness/fixtures/keys/registered-passkey.ts'
import { newFolder } from '../harness/new-folder.ts'
import type { ProjectProblem } from '#policy/policy.ts'
import { checkSignatures } from '#runtime/doctor/project/check-signatures.ts'
import type { CheckTarget } from '#runtime/doctor/target/check.ts'
import { createTestApi, type Client } from './test-api.ts'
import { putFile, putFiles } from '../harness/put-file.ts'

const config = `${fixtureFiles.texts.get('countersign.yaml') ?? ''}  activatePolicy: [security, operators]\n`
const quick = config.replace('72h', '36h')
const weaker = quick.replace('permitFor: 30d', 'selfApproval: true')

const put = (path: string, text: string): void => putFile(projectDir, path, text)

const projectDir = newFolder('countersign policy ')
putFiles(projectDir, fixtureFiles.texts)
put('countersign.yaml', config)
const api = disposeAfterTests(await createTestApi({ settings: { projectDir } }))
const { ctx } = api.service
Object.assign(ctx.policies, createPolicyReader(ctx))
await activateFolder(ctx, projectDir)
const edsger = await api.signIn(api.people.edsger)
const olga = await api.signIn(api.people.olga)
const aud = await api.signIn(api.people.aud)
const grace = await api.signIn(api.people.grace)

const state = async (client: Client) => (await client.get('/v1/policy')).body
const activate = (client: Client, digest: string) =>
  client.post('/v1/policy/activations', { digest })

/** The fixture's security team has one member, of which people are warned. */
const teamOfOne = {
  severity: 'warning',
  problem: expect.stringContaining('reaches edsger@example.com alone') as string,
}

test('the state says what is in force, since when, and that the folder holds the same', async () => {
  expect(await state(edsger)).toMatchObject({
    activation: { sequence: 1, previousDigest: null, actor: { type: 'system' }, people: [] },
    folder: { state: 'in_force', problems: [teamOfOne] },
    proposal: null,
  })
  expect(await state(grace)).toMatchObject({ folder: null, proposal: null })
})

test('a folder that is not valid says every problem, and the last valid version stays in force', async () => {
  const { digest } = await state(edsger)
  put('countersign.yaml', config.replace('queue: platform', 'queue: plattform'))
  expect(await state(edsger)).toMatchObject({
    digest,
    folder: {
      state: 'invalid',
      digest: null,
      problems: expect.arrayContaining([
        expect.objectContaining({
          file: 'countersign.yaml',
          line: 12,
          remedy: 'did you mean "platform"?',
          severity: 'error',
        }),
      ]),
    },
  })
  for (const reply of [await activate(edsger, digest), await edsger.get('/v1/policy/difference')]) {
    expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_request' } })
    expect(reply.body.problems).toHaveLength(1)
  }
  expect((await state(edsger)).digest).toBe(digest)
})

test('the difference is shown by setting and by line, to those who activate or audit', async () => {
  put('countersign.yaml', quick)
  for (const client of [edsger, aud]) {
    const { status, body } = await client.get('/v1/policy/difference')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      settings: [{ at: 'queues.platform.expiresAfter', before: '3d', after: '36h' }],
      secondPerson: [],
      files: [{ path: 'countersign.yaml', change: 'changed' }],
    })
    expect(body.files[0].diff).toContain(
      '+  platform: { team: platform, permitFor: 30d, expiresAfter: 36h }',
    )
  }
  expect(await grace.get('/v1/policy/difference')).toMatchObject({ status: 403 })
})

test('a harmless change is activated by one person who agreed to exactly its digest', async () => {
  const { to } = (await edsger.get('/v1/policy/difference')).body
  const { digest } = await state(edsger)
  expect(await activate(edsger, digest)).toMatchObject({ status: 412, body: { digest: to } })
  expect(await activate(grace, to)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  expect(await activate(edsger, to)).toMatchObject({
    status: 200,
    body: { state: 'activated', digest: to, sequence: 2, proposalId: null },
  })
  expect(await activate(olga, to)).toMatchObject({ status: 200, body: { state: 'in_force' } })
})

test('a change of who decides waits for a second person, and says so to both', async () => {
  put('countersign.yaml', weaker)
  const { to, secondPerson } = (await edsger.get('/v1/policy/difference')).body
  expect(secondPerson).toEqual([
    { at: 'queues.platform.selfApproval', before: 'false', after: 'true' },
  ])
  const first = await activate(edsger, to)
  expect(first).toMatchObject({ status: 202, body: { state: 'proposed', sequence: null } })
  expect((await state(edsger)).proposal).toMatchObject({ isCurrent: true, canConfirm: false })
  expect((await state(olga)).proposal).toMatchObject({
    id: first.body.proposalId,
    digest: to,
    proposedBy: { name: 'Edsger' },
    canConfirm: true,
  })
  expect(await grace.delete(`/v1/policy/proposals/${first.body.proposalId}`)).toMatchObject({
    status: 403,
  })
  expect((await olga.delete(`/v1/policy/proposals/${first.body.proposalId}`)).status).toBe(200)
  expect((await state(olga)).proposal).toBeNull()
  await activate(edsger, to)
  expect(await activate(olga, to)).toMatchObject({ status: 200, body: { sequence: 3 } })
})

test('the history names who agreed to each version, page by page, and any two can be compared', async () => {
  const first = (await grace.get('/v1/policy/activations?limit=2')).body
  expect(first.items).toMatchObject([
    { sequence: 3, people: [{ name: 'Edsger' }, { name: 'Olga' }], note: 'uncommitted' },
    { sequence: 2, people: [{ name: 'Edsger' }] },
  ])
  const next = await grace.get(`/v1/policy/activations?cursor=${first.nextCursor}`)
  expect(next.body).toMatchObject({ items: [{ sequence: 1 }], nextCursor: null })
  expect((await grace.get('/v1/policy/activations?cursor=made-up')).status).toBe(422)
  const [third, second] = first.items
  const path = `/v1/policy/difference?from=${second.digest}&to=${third.digest}`
  expect((await aud.get(path)).body.settings).toHaveLength(1)
  const unknown = `sha256:${'0'.repeat(64)}`
  expect(await aud.get(`/v1/policy/difference?from=${unknown}`)).toMatchObject({ status: 404 })
})

test('a replay judges pages of past calls for people who may activate', async () => {
  expect(await olga.post('/v1/policy/replay', { since: '2026-01-01T00:00:00Z' })).toMatchObject({
    status: 200,
    body: { judged: 0, items: [], nextCursor: null },
  })
  expect((await aud.post('/v1/policy/replay')).status).toBe(403)
  expect((await olga.post('/v1/policy/replay', { limit: 201 })).status).toBe(422)
})

test('the schemas of project files are served to editors, without a session', async () => {
  for (const name of ['countersign', 'worker', 'script']) {
    const reply = await api.ask(`/schemas/${name}.schema.json`)
    expect(reply.status).toBe(200)
    expect(reply.body).toMatchObject({ $schema: expect.stringContaining('draft-07') })
  }
  expect((await api.ask('/schemas/other.json')).status).toBe(404)
})

test('keys read the state, and change nothing', async () => {
  const made = await olga.post('/v1/keys', { name: 'robot', scopes: ['runs:read'] })
  const headers = { authorization: `Bearer ${made.body.key}` }
  expect((await api.ask('/v1/policy', { headers })).body).toMatchObject({ folder: null })
  const { digest } = await state(olga)
  const init = { method: 'POST', headers, body: { digest } }
  expect((await api.ask('/v1/policy/activations', init)).status).toBe(403)
})

test('a folder that asks for more signatures than there are confirmed passkeys says so before its activation, and doctor does too', async () => {
  const { ctx } = api.service
  const entries = [
    '{ when: { tool: write_file }, quorum: { count: 2 } }',
    // Neither asks for a signature in that queue.
    '{ when: { tool: edit_file }, queue: security, quorum: { allOf: [{ team: operators }] } }',
    '{ when: { tool: shell }, risk: low, quorum: { allOf: [{ team: operators }] } }',
  ]
  const quorum = `routing: [${entries.join(', ')}]\n`
  const required = config.replace('permitFor: 30d', 'signature: required')
  put('countersign.yaml', required.replace('rights:', `${quorum}rights:`))
  const target = { folders: { projectDir }, databaseUrl: api.database.url } as CheckTarget
  const warnings = async () => {
    const { problems: all } = (await state(olga)).folder
    const ofPeople = / alone, | not met without /
    const problems = all.filter((one: ProjectProblem) => !ofPeople.test(one.problem))
    const found = await checkSignatures(target)
    expect(found.map(({ found: text }) => text)).toEqual(
      problems.map((one: ProjectProblem) => `${one.file}:${one.line}: ${one.problem}`),
    )
    return problems
  }
  const lacking = (words: string) => ({
    line: 10,
    severity: 'warning',
    problem: expect.stringMatching(words) as string,
  })
  expect(await warnings()).toMatchObject([
    lacking('by 1 of platform, but nobody has a confirmed passkey there: 1 of platform missing'),
  ])
  const { edsger: confirmer, grace: first } = api.people
  const session = await addSession(ctx, first)
  await registeredPasskey(ctx, first, session, null)
  expect(await warnings()).toHaveLength(1)
  await registeredPasskey(ctx, first, session, confirmer)
  expect(await warnings()).toMatchObject([
    lacking('by 2 of platform, but 1 person has a confirmed passkey there: 1 of platform missing'),
  ])
  const { linus: second } = api.people
  await registeredPasskey(ctx, second, await addSession(ctx, second), confirmer)
  expect(await warnings()).toEqual([])
})

// Rules: product.md 17
test('a person who keeps their name at another address is said to be another person, unless the folder says otherwise', async () => {
  const target = { folders: { projectDir }, databaseUrl: api.database.url } as CheckTarget
  const problem =
    'hopper@example.com has the name of grace@example.com, whom the file no longer names, and may decide what that address asked for'
  const moved = config.replace('[grace@example.com, ', '[hopper@example.com, ')
  for (const [formerly, found] of [
    ['', [problem]],
    [', formerly: grace@example.com', []],
  ] as const) {
    const entry = `people:\n  - { email: hopper@example.com, name: Grace${formerly} }\n`
    put('countersign.yaml', moved.replace('people:\n', entry))
    const { problems } = (await state(olga)).folder
    const texts = problems.map((one: ProjectProblem) => one.problem)
    expect(texts.filter((text: string) => text.includes('has the name'))).toEqual(found)
    const byDoctor = await checkSignatures(target)
    expect(byDoctor.map(({ found: text }) => text)).toEqual(
      found.map((text) => `countersign.yaml: ${text}`),
    )
  }
  put('countersign.yaml', config)
})

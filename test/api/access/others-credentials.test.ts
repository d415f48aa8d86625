import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { createApiWithActivators } from '../activating-operators.ts'
import type { Reply } from '../test-api.ts'
import { joinTeam } from '../../harness/fixtures/people.ts'
import { trailOf } from '../../harness/fixtures/trail.ts'

const notices: unknown[] = []

const api = disposeAfterTests(
  await createApiWithActivators({
    settings: { hostToken: 'the-token-of-this-host' },
    signInMails: {
      isOffered: async () => true,
      sendLink: () => undefined,
      notify: (email, notice) => void notices.push({ email, ...notice }),
    },
  }),
)
await joinTeam(api.service.db, api.people.olga.id, 'platform')
// Olga holds every right over people and policy, and is one of the approvers: the insider who needs
// a second side.
const olga = await api.signIn(api.people.olga)
const ada = await api.signIn(api.people.ada)

const propose = (name: string): Promise<Reply> =>
  olga.post('/v1/keys', {
    name,
    owner: 'ada@example.com',
    scopes: ['runs:write', 'requests:write', 'requests:read'],
  })

const trail = async () =>
  (await trailOf(api.service.db, {})).map(({ type, detail }) => ({ type, detail }))

// Rules: security.md 33, 38
test("nobody is given a colleague's sign-in link, whatever rights they hold, and the attempt is recorded", async () => {
  const reply = await olga.post('/v1/people/ada@example.com/link')
  expect(reply).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  expect(reply.text).not.toContain('#link=')
  expect(reply.body.detail).toContain('countersign people link')
  const links = await api.service.db.selectFrom('sign_in_link').select('person_id').execute()
  expect(links).toEqual([])
  expect(await trail()).toContainEqual({
    type: 'session.refused',
    detail: { method: 'link', why: 'for_somebody_else' },
  })
})

// Rules: security.md 38
test("a key in a colleague's name is only proposed: its maker never sees it, and the colleague is told", async () => {
  const reply = await propose('robot')
  expect(reply).toMatchObject({
    status: 202,
    body: { key: null, owner: { name: 'Ada' }, proposedBy: { name: 'Olga' } },
  })
  expect(reply.text).not.toMatch(/cs_[0-9a-f]/)
  expect(notices).toContainEqual({
    email: 'ada@example.com',
    what: 'key_proposed',
    name: 'robot',
    by: 'Olga',
  })
  const { id } = reply.body
  const grace = await api.signIn(api.people.grace)
  for (const client of [olga, grace]) {
    expect(await client.post(`/v1/key-proposals/${id}/claim`)).toMatchObject({ status: 404 })
  }
  expect((await grace.get('/v1/key-proposals')).body.items).toEqual([])
  expect((await ada.get('/v1/key-proposals')).body.items).toMatchObject([{ id, name: 'robot' }])
  const claimed = await ada.post(`/v1/key-proposals/${id}/claim`)
  expect(claimed).toMatchObject({ status: 201, body: { proposedBy: { name: 'Olga' } } })
  expect(claimed.body.key).toMatch(/^cs_/)
  expect(await ada.post(`/v1/key-proposals/${id}/claim`)).toMatchObject({ status: 404 })
  const rotated = await olga.post(`/v1/keys/${claimed.body.id}/rotate`)
  expect(rotated).toMatchObject({ status: 404 })
  expect((await olga.get('/v1/keys')).text).not.toContain(claimed.body.key)
})

// Rules: product.md 17; security.md 38
test('the proposer of a key is behind every run and request of it, and decides none', async () => {
  const { id } = (await propose('for a run')).body
  const claimed = (await ada.post(`/v1/key-proposals/${id}/claim`)).body
  const run = await addRun(api.service, { startedBy: api.people.ada, keyId: claimed.id })
  const child = await addRun(api.service, { startedBy: api.people.ada, parent: run })
  const ofRuns = [await addRequest(api.service, run), await addRequest(api.service, child)]
  const headers = { authorization: `Bearer ${claimed.key}` }
  const body = { tool: 'deploy', input: {}, externalId: 'one' }
  const external = await api.ask('/v1/requests', { method: 'POST', headers, body })
  expect(external).toMatchObject({ status: 201, body: { state: 'pending' } })
  const grace = await api.signIn(api.people.grace)
  for (const request of [...ofRuns, external.body]) {
    const detail = (await grace.get(`/v1/requests/${request.id}`)).body
    const { digest, revision, risk, presentation } = detail
    const high = risk === 'high' ? { reason: 'seen', seen: presentation.digest } : {}
    const approval = { decision: 'approve', digest, revision, ...high }
    expect(await olga.post(`/v1/requests/${request.id}/decisions`, approval)).toMatchObject({
      status: 403,
      body: { code: 'not_eligible', detail: expect.stringContaining('you proposed the API key') },
    })
    expect((await grace.post(`/v1/requests/${request.id}/decisions`, approval)).status).toBe(200)
  }
})

test('a proposal is declined by its owner, taken back by who made it, and ends with either of them', async () => {
  const first = (await propose('first')).body.id
  const second = (await propose('second')).body.id
  const grace = await api.signIn(api.people.grace)
  expect((await grace.delete(`/v1/key-proposals/${first}`)).status).toBe(404)
  expect((await ada.delete(`/v1/key-proposals/${first}`)).status).toBe(200)
  expect((await olga.delete(`/v1/key-proposals/${second}`)).status).toBe(200)
  for (const id of [first, second]) {
    expect((await ada.post(`/v1/key-proposals/${id}/claim`)).status).toBe(404)
  }
  const changes = (await trail()).map(({ detail }) => detail['change'])
  expect(changes).toEqual(expect.arrayContaining(['key_declined', 'key_withdrawn']))
  const third = (await propose('third')).body.id
  const row = api.service.db.updateTable('api_key_proposal').where('id', '=', third)
  await row.set({ expires_at: new Date(Date.now() - 1000) }).execute()
  expect((await ada.post(`/v1/key-proposals/${third}/claim`)).status).toBe(404)
  const fourth = (await propose('fourth')).body.id
  const disabling = api.service.db.updateTable('person').where('id', '=', api.people.olga.id)
  await disabling.set({ disabled_at: new Date() }).execute()
  expect((await ada.post(`/v1/key-proposals/${fourth}/claim`)).status).toBe(404)
  await disabling.set({ disabled_at: null }).execute()
})

test('at most twenty proposed keys wait for one person', async () => {
  await api.service.db.deleteFrom('api_key_proposal').execute()
  const replies = await Promise.all(Array.from({ length: 24 }, (_, index) => propose(`${index}`)))
  const statuses = replies.map(({ status }) => status).toSorted((one, other) => one - other)
  expect(statuses).toEqual([...Array(20).fill(202), ...Array(4).fill(429)])
})

test('nobody proposes a key to somebody else without the right managePeople', async () => {
  const reply = await ada.post('/v1/keys', {
    name: 'mine',
    owner: 'grace@example.com',
    scopes: ['runs:read'],
  })
  expect(reply).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  expect(reply.body.detail).toContain('managePeople')
})

test('a link made on the host signs in, and its person is told of it', async () => {
  const body = { email: 'grace@example.com', token: 'the-token-of-this-host' }
  expect((await api.ask('/v1/auth/host-link', { method: 'POST', body })).status).toBe(201)
  expect(notices).toContainEqual({ email: 'grace@example.com', what: 'link_made' })
})

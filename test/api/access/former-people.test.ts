import { expect, test } from 'vitest'
import { Problem } from '#domain/problem.ts'
import { createMailedLink } from '#services/access/sign-in/create-mailed-link.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { softwarePasskey } from '../../harness/fixtures/keys/software-passkey.ts'
import { addPerson } from '../../harness/fixtures/people.ts'
import { trailOf } from '../../harness/fixtures/trail.ts'
import { createApiWithActivators } from '../activating-operators.ts'
import { developmentToken, type Reply } from '../test-api.ts'

const hostToken = 'the-token-of-this-host'
const api = disposeAfterTests(await createApiWithActivators({ settings: { hostToken } }))
const ada = await api.signIn(api.people.ada)
const olga = await api.signIn(api.people.olga)
const email = 'ada@example.com'

/** Until the end, the version in force does not name Ada, or only as an earlier address of Olga. */
async function withoutAda(formerly: string[] = []): Promise<Disposable> {
  const { policies } = api.service.ctx
  const { inForce, lastTrusted } = policies
  const policy = await inForce()
  const people = policy.config.people
    .filter((person) => person.email !== email)
    .map((person) => (person.name === 'Olga' ? { ...person, formerly } : person))
  const version = { ...policy, config: { ...policy.config, people } }
  Object.assign(policies, {
    inForce: async (on: Parameters<typeof inForce>[0]) => {
      await inForce(on)
      return version
    },
    lastTrusted: () => version,
  })
  return { [Symbol.dispose]: () => void Object.assign(policies, { inForce, lastTrusted }) }
}

const post = (path: string, body: object): Promise<Reply> => api.ask(path, { method: 'POST', body })

async function ownLink(): Promise<string> {
  const { body } = await ada.post(`/v1/people/${email}/link`)
  return new URL(body.url).hash.slice('#link='.length)
}

// Rules: product.md 17, 18; security.md 21, 38
test('somebody whom the project no longer names signs in by no way, and their sessions and keys end; those whose group fills a team do', async () => {
  const passkey = softwarePasskey()
  const registration = passkey.create((await ada.post('/v1/credentials/options')).body)
  await ada.post('/v1/credentials', { name: 'Laptop', response: registration })
  const byPasskey = async (): Promise<Reply> => {
    const { body: options } = await post('/v1/auth/passkey/options', {})
    return post('/v1/auth/passkey', { response: passkey.get(options) })
  }
  const mailed = () => createMailedLink(api.service.ctx, { email, channel: 'dashboard' })
  const links = [await ownLink(), (await mailed())?.token]
  const proposed = { name: 'robot', owner: email, scopes: ['runs:write'] }
  const own = (await ada.post('/v1/keys', { name: 'own', scopes: ['runs:write'] })).body
  const startByKey = (): Promise<Reply> =>
    api.ask('/v1/runs', {
      method: 'POST',
      body: { worker: 'no such worker', input: 'Write' },
      headers: { authorization: `Bearer ${own.key}` },
    })
  expect((await startByKey()).status).toBe(422)
  const proposal = (await olga.post('/v1/keys', proposed)).body
  {
    using _ = await withoutAda()
    for (const token of links) expect((await post('/v1/auth/link', { token })).status).toBe(401)
    expect((await byPasskey()).status).toBe(401)
    expect(
      (await trailOf(api.database.db, {}, 'session.refused')).map(({ detail }) => detail),
    ).toContainEqual({ method: 'link', why: 'unknown_person' })
    const [refusal] = (await trailOf(api.database.db, {}, 'session.refused')).slice(-1)
    expect(refusal?.detail).toMatchObject({ method: 'passkey', why: 'unknown_person' })
    expect((await post('/v1/auth/dev-login', { email, token: developmentToken })).status).toBe(401)
    expect((await post('/v1/auth/host-link', { email, token: hostToken })).status).toBe(404)
    expect(await mailed()).toBeNull()
    expect((await olga.post('/v1/keys', proposed)).status).toBe(404)
    const claim = `/v1/key-proposals/${proposal.id}/claim`
    expect((await ada.post(claim)).status).toBe(401)
    expect((await ada.get('/v1/me')).status).toBe(401)
    expect(await startByKey()).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining('no longer a person of the project') },
    })
    await addPerson(api.service.db, 'Nina', ['platform'])
    const nina = { email: 'nina@example.com', token: developmentToken }
    expect((await post('/v1/auth/dev-login', nina)).status).toBe(200)
  }
  {
    // Both rows count as one human.
    using _ = await withoutAda([email])
    expect((await byPasskey()).status).toBe(200)
  }
  expect((await byPasskey()).status).toBe(200)
  expect((await startByKey()).status).toBe(422)
  expect((await ada.post(`/v1/key-proposals/${proposal.id}/claim`)).status).toBe(201)
  expect((await post('/v1/auth/link', { token: await ownLink() })).status).toBe(200)
})

// Rules: product.md 18; security.md 21, 29
test('whom the project stopped naming does not come back while no version can be trusted; a process that has trusted none yet keeps everybody', async () => {
  const { policies } = api.service.ctx
  using _ = await withoutAda()
  const inForce = async (): Promise<never> => {
    throw new Problem('unavailable', 'No version can be trusted')
  }
  Object.assign(policies, { inForce })
  expect((await ada.get('/v1/me')).status).toBe(401)
  expect((await olga.get('/v1/me')).status).not.toBe(401)
  Object.assign(policies, { lastTrusted: () => null })
  expect((await ada.get('/v1/me')).status).not.toBe(401)
})

import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { sealedTables } from '#domain/statements/sealed-tables.ts'
import { openRevocations } from '#runtime/data-folder/revocations.ts'
import { hashToken } from '#services/access/token.ts'
import { recordRevocations } from '#services/installation/record-revocations.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { asForger } from '../../harness/evidence/as-forger.ts'
import { newDataFolder } from '../../harness/fixtures/data-folder.ts'
import { testSeals } from '../../harness/fixtures/keys/test-keys.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { createTestApi } from '../test-api.ts'

const api = disposeAfterTests(await createTestApi())

const write = asForger(api.service.db)

const refusedSince = async (): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from audit_event
    where type = 'session.refused' and document like '%tampered%'`.execute(api.service.db)
  return rows[0]?.count ?? 0
}

const other: Readonly<Record<string, ReturnType<typeof sql>>> = {
  id: sql`gen_random_uuid()`,
  person_id: sql`(select id from person where name = 'Olga')`,
  owner_id: sql`(select id from person where name = 'Olga')`,
  proposed_by: sql`(select id from person where name = 'Olga')`,
  scopes: sql`array['runs:write','runs:read','requests:write','requests:read','audit:read']`,
  expires_at: sql`clock_timestamp() + interval '9 years'`,
  csrf_token: sql`'forged'`,
  channel: sql`'oidc'`,
}

const apiKeyColumns = sealedTables.api_key.columns.filter(
  (column) => column !== 'id' && column !== 'secret_hash' && !column.startsWith('previous'),
)

// Rules: security.md 29
test('a session that somebody wrote into the database signs in nobody, and is in the trail', async () => {
  const token = randomBytes(32).toString('base64url')
  await write(sql`insert into session (token_hash, id, person_id, csrf_token, channel, device, expires_at)
    values (${hashToken(token)}, gen_random_uuid(), ${api.people.grace.id}, 'x', 'link', 'x', clock_timestamp() + interval '1 hour')`)
  const grace = await api.signIn(api.people.grace)
  const name = /^([^=]+)=/.exec(grace.headers['cookie'] ?? '')?.[1] ?? ''
  const before = await refusedSince()
  const reply = await api.ask('/v1/me', { headers: { cookie: `${name}=${token}` } })
  expect(reply).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
  await waitUntil(async () => (await refusedSince()) > before)
})

test.each(sealedTables.session.columns.filter((column) => column !== 'token_hash'))(
  'a session is worth nothing once its %s was changed by SQL',
  async (column) => {
    const grace = await api.signIn(api.people.grace)
    expect((await grace.get('/v1/me')).status).toBe(200)
    const value = other[column] ?? sql`'forged'`
    await write(
      sql`update session set ${sql.ref(column)} = ${value} where person_id = ${api.people.grace.id}`,
    )
    expect((await grace.get('/v1/me')).status).toBe(401)
    await write(
      sql`delete from session where person_id in (${api.people.grace.id}, ${api.people.olga.id})`,
    )
  },
)

test('a session does not become another person’s by copying the seal of that person’s session', async () => {
  const [grace, olga] = [await api.signIn(api.people.grace), await api.signIn(api.people.olga)]
  await write(sql`update session set person_id = o.person_id, seal = o.seal from session o
    where session.person_id = ${api.people.grace.id} and o.person_id = ${api.people.olga.id}`)
  expect((await grace.get('/v1/me')).status).toBe(401)
  expect((await olga.get('/v1/me')).status).toBe(200)
})

test.each(apiKeyColumns)(
  'an API key is worth nothing once its %s was changed by SQL',
  async (column) => {
    const ada = await api.signIn(api.people.ada)
    const { body } = await ada.post('/v1/keys', { name: column, scopes: ['runs:read'] })
    const ask = () => api.ask('/v1/runs', { headers: { authorization: `Bearer ${body.key}` } })
    expect((await ask()).status).toBe(200)
    await write(
      sql`update api_key set ${sql.ref(column)} = ${other[column] ?? sql`'forged'`} where id = ${body.id}`,
    )
    const before = await refusedSince()
    expect((await ask()).status).toBe(401)
    // One event is about the row, and one about this use of the key.
    expect(await refusedSince()).toBe(before + 2)
  },
)

test('a second secret that is written into the row of an API key opens nothing', async () => {
  const ada = await api.signIn(api.people.ada)
  const { body } = await ada.post('/v1/keys', { name: 'second', scopes: ['runs:read'] })
  const secret = randomBytes(32).toString('base64url')
  await write(sql`update api_key set previous_hash = ${hashToken(secret)},
    previous_until = clock_timestamp() + interval '1 day' where id = ${body.id}`)
  const headers = { authorization: `Bearer cs_${body.id}_${secret}` }
  expect((await api.ask('/v1/runs', { headers })).status).toBe(401)
})

test('a session that was ended, and a key that was revoked, stay so when their rows are put back', async () => {
  const ada = await api.signIn(api.people.ada)
  const { body } = await ada.post('/v1/keys', { name: 'put back', scopes: ['runs:read'] })
  const key = { headers: { authorization: `Bearer ${body.key}` } }
  expect((await api.ask('/v1/runs', key)).status).toBe(200)
  const { rows } = await sql<{ session: object; key: object }>`
    select (select to_jsonb(s) from session s where person_id = ${api.people.ada.id}
        order by created_at desc limit 1) as session,
      (select to_jsonb(k) from api_key k where id = ${body.id}) as key`.execute(api.service.db)
  expect((await ada.delete(`/v1/keys/${body.id}`)).status).toBe(200)
  expect((await ada.post('/v1/auth/logout')).status).toBe(200)
  await write(sql`insert into session select * from
    jsonb_populate_record(null::session, ${JSON.stringify(rows[0]?.session)}::jsonb)`)
  await write(sql`update api_key set revoked_at = null where id = ${body.id}`)
  expect((await ada.get('/v1/me')).status).toBe(401)
  expect((await api.ask('/v1/runs', key)).status).toBe(401)
})

test('an end that could not be recorded, as when the API was killed, is recorded at its next start', async () => {
  const linus = await api.signIn(api.people.linus)
  const { body } = await linus.post('/v1/keys', { name: 'unrecorded', scopes: ['runs:read'] })
  const { rows } = await sql<{ id: string }>`
    select id from session where person_id = ${api.people.linus.id}`.execute(api.service.db)
  expect((await linus.delete(`/v1/keys/${body.id}`)).status).toBe(200)
  expect((await linus.post('/v1/auth/logout')).status).toBe(200)
  const lateFolder = openRevocations(newDataFolder())
  const ctx = { ...api.service.ctx, seals: { ...testSeals, revocations: lateFolder } }
  const session = { what: 'session', id: rows[0]?.id ?? '' } as const
  const key = { what: 'api_key', id: body.id as string } as const
  const areRecorded = () => [lateFolder.has(session), lateFolder.has(key)]
  expect(areRecorded()).toEqual([false, false])
  expect(await recordRevocations(ctx)).toBeGreaterThanOrEqual(2)
  expect(areRecorded()).toEqual([true, true])
  expect(lateFolder.has({ what: 'person', id: api.people.linus.id })).toBe(false)
  expect(await recordRevocations(ctx)).toBe(0)
})

import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addPerson } from '../../harness/fixtures/people.ts'
import { rowsOf } from '../../harness/fixtures/rows.ts'
import { answerPreApproved } from '../judging.ts'
import { createTestApi, type Client } from '../test-api.ts'

const api = disposeAfterTests(
  await createTestApi({
    settings: { temporal: { uiUrl: 'http://localhost:8233', namespace: 'default' } },
  }),
)
const ada = await api.signIn(api.people.ada)

const start = (
  client: Client,
  body: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) => client.post('/v1/runs', { worker: 'scribe', input: 'write the notes', ...body }, headers)

test('a run is started once for its key, and is there with every field of the contract', async () => {
  const key = { 'idempotency-key': 'start-1' }
  const first = await start(ada, {}, key)
  expect(first.status).toBe(201)
  expect(first.headers.get('location')).toBe(`/v1/runs/${first.body.id}`)
  expect(first.body).toMatchObject({
    task: { text: 'write the notes', by: first.body.startedBy, later: 0 },
    usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costUsd: null },
    waitsFor: [],
  })
  expect((await start(ada, {}, key)).body).toEqual(first.body)
  expect(await start(ada, { input: 'other' }, key)).toMatchObject({
    status: 422,
    body: { code: 'idempotency_key_reused' },
  })
  const { body } = await ada.get(`/v1/runs/${first.body.id}`)
  expect(body).toMatchObject({
    ...first.body,
    turns: expect.any(Number),
    pendingRequests: 0,
    children: [],
    scripted: true,
    title: 'write the notes',
    workspaceRoot: '/srv/project',
    temporalUrl: `http://localhost:8233/namespaces/default/workflows/${encodeURIComponent(body.workflowId)}`,
    allowed: { message: true, cancel: true },
  })
  expect(body.lineage.at(-1)).toEqual({
    runId: body.id,
    worker: 'scribe',
    startedBy: body.startedBy,
  })
  expect(body.policyDigest).toMatch(/^sha256:[0-9a-f]{64}$/)
})

test('the message about a wrong field does not repeat the name of the field', async () => {
  const { body: run } = await start(ada)
  const refused = await ada.post(`/v1/runs/${run.id}/forks`, {
    afterTurn: 0,
    text: 'a',
    input: 'b',
  })
  const message = 'and input have the same meaning with afterTurn: 0; send one of them'
  expect(refused.body).toMatchObject({
    detail: `text ${message}`,
    errors: [{ field: 'text', message }],
  })
})

test('a conversation that rests says until when, and a run without an end or a rest says nothing', async () => {
  const { body: run } = await start(ada)
  const { db } = api.service
  const rests = async (values: object) => {
    await db.updateTable('run').set(values).where('id', '=', run.id).execute()
    return (await ada.get(`/v1/runs/${run.id}`)).body
  }
  const stopped = { state: 'waiting_for_input', rest: 'stopped' } as const
  const stoppedRun = await rests(stopped)
  expect(stoppedRun).toMatchObject({ rest: 'stopped' })
  expect(stoppedRun).not.toHaveProperty('restsUntil')
  const until = new Date('2030-01-01T00:00:00.000Z')
  expect(await rests({ rests_until: until })).toMatchObject({ restsUntil: until.toISOString() })
  const goesOn = await rests({ state: 'running', rest: null, rests_until: null })
  expect(Object.keys(goesOn).filter((name) => name.startsWith('rest'))).toEqual([])
})

test('the parts of a run are found by its number as by its id, and a number without a run finds nothing', async () => {
  const { body: run } = await start(ada)
  const aud = await api.signIn(api.people.aud)
  const foundBy = async (reference: string) => {
    const turn = await ada.get(`/v1/runs/${reference}/turns/1`)
    const requests = await ada.get(`/v1/requests?runId=${reference}`)
    const events = await aud.get(`/v1/audit?runId=${reference}`)
    return [turn.body.code, requests.status, events.body.items.map(({ type }: never) => type)]
  }
  const found = ['not_found', 200, expect.arrayContaining(['run.started'])]
  expect(await foundBy(run.id)).toEqual(found)
  expect(await foundBy(`${run.number}`)).toEqual(found)
  expect(await foundBy('999999999')).toEqual(['not_found', 200, []])
  expect((await ada.get('/v1/runs/999999999/stream')).status).toBe(404)
})

test.each([
  [{ worker: 'nobody' }, 404, 'unknown_worker'],
  [{ mode: 'approve_all' }, 403, 'mode_not_permitted'],
  [{ mode: ['prompt', 'strict'] }, 422, 'invalid_request'],
  [{ input: 7 }, 422, 'invalid_request'],
  [{ input: ['a'] }, 422, 'invalid_request'],
  [{ input: null }, 422, 'invalid_request'],
  [{ input: { a: '\0' } }, 422, 'invalid_request'],
  [{ input: '' }, 422, 'invalid_request'],
  [{ input: ' \n' }, 422, 'invalid_request'],
  [{ worker: '../scribe' }, 422, 'invalid_request'],
  [{ strict: true }, 422, 'invalid_request'],
])('starting with %j is %i %s', async (body, status, code) => {
  expect(await start(ada, body)).toMatchObject({ status, body: { code } })
})

// Rules: product.md 21
test('two modes in one body are refused, and no run is started', async () => {
  const rawBody = '{"worker":"scribe","input":"x","mode":"strict","mode":"approve_all"}'
  const before = await ada.get('/v1/runs?limit=200')
  const headers = { ...ada.headers, 'content-type': 'application/json' }
  expect(await api.ask('/v1/runs', { method: 'POST', rawBody, headers })).toMatchObject({
    status: 422,
    body: { code: 'invalid_request' },
  })
  const after = await ada.get('/v1/runs?limit=200')
  expect(after.body.items).toHaveLength(before.body.items.length)
})

test('a run is seen and steered by who started it, seen by nobody else, and steered by who manages runs', async () => {
  const { id } = (await start(ada)).body
  const grace = await api.signIn(api.people.grace)
  const olga = await api.signIn(api.people.olga)
  expect((await grace.get(`/v1/runs/${id}`)).status).toBe(404)
  expect((await grace.get('/v1/runs')).text).not.toContain(id)
  expect((await grace.post(`/v1/runs/${id}/messages`, { text: 'x' })).status).toBe(404)
  expect((await grace.post(`/v1/runs/${id}/cancel`)).status).toBe(404)
  expect((await ada.post(`/v1/runs/${id}/messages`, { text: 'and the date' })).status).toBe(201)
  const transcript = await olga.get(`/v1/runs/${id}/transcript`)
  expect(transcript.body.items).toMatchObject([
    { role: 'user', text: 'write the notes', author: { name: 'Ada' } },
    { role: 'user', text: 'and the date', author: { name: 'Ada' } },
  ])
  expect(await olga.post(`/v1/runs/${id}/cancel`)).toMatchObject({
    status: 200,
    body: { state: 'cancelled' },
  })
  expect(await ada.post(`/v1/runs/${id}/messages`, { text: 'wait' })).toMatchObject({
    status: 409,
    body: { code: 'run_ended' },
  })
})

test('a key starts a run for its owner, and only with its scope', async () => {
  const made = await ada.post('/v1/keys', { name: 'ci', scopes: ['runs:write'] })
  const headers = { authorization: `Bearer ${made.body.key}` }
  const body = { worker: 'scribe', input: 'from ci' }
  const started = await api.ask('/v1/runs', { method: 'POST', body, headers })
  expect(started).toMatchObject({ status: 201, body: { startedBy: { name: 'Ada' } } })
  expect((await api.ask(`/v1/runs/${started.body.id}`, { headers })).status).toBe(403)
})

// Rules: product.md 5
test('a manual tool is invoked by a person who may steer the run, until it has ended', async () => {
  const { id } = (await start(ada)).body
  const grace = await api.signIn(api.people.grace)
  const olga = await api.signIn(api.people.olga)
  const call = { tool: 'deploy', input: { to: 'staging' } }
  expect(await ada.post(`/v1/runs/${id}/calls`, call)).toMatchObject({
    status: 503,
    body: { code: 'workspace_unreachable' },
  })
  answerPreApproved(api.service)
  expect((await grace.post(`/v1/runs/${id}/calls`, call)).status).toBe(404)
  const made = await ada.post('/v1/keys', { name: 'call', scopes: ['runs:write'] })
  const headers = { authorization: `Bearer ${made.body.key}` }
  const byKey = { method: 'POST', body: call, headers } as const
  expect((await api.ask(`/v1/runs/${id}/calls`, byKey)).status).toBe(403)
  expect(await olga.post(`/v1/runs/${id}/calls`, call)).toMatchObject({
    status: 201,
    body: { tool: 'deploy', verdict: 'preApproved', requestId: null, runId: id },
  })
  const transcript = await ada.get(`/v1/runs/${id}/transcript`)
  expect(transcript.body.items.at(-1)).toMatchObject({
    role: 'user',
    author: { name: 'Olga' },
    calls: [{ tool: 'deploy', manual: true }],
  })
  for (const body of [{ tool: 'deploy' }, { ...call, input: 'staging' }, { ...call, more: 1 }]) {
    expect(await ada.post(`/v1/runs/${id}/calls`, body)).toMatchObject({
      status: 422,
      body: { code: 'invalid_request' },
    })
  }
  await ada.post(`/v1/runs/${id}/cancel`)
  expect(await ada.post(`/v1/runs/${id}/calls`, call)).toMatchObject({
    status: 409,
    body: { code: 'run_ended' },
  })
})

test.each([
  'state=done',
  'worker=nobody',
  'startedBy=somebody',
  'limit=1e3',
  'cursor=x',
  'sort=age',
])('the query %s is 422 invalid_request', async (query) => {
  const reply = await ada.get(`/v1/runs?${query}`)
  expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_request' } })
})

// Rules: security.md 20
test('showing a masked value of a run is recorded by its form and length, for who may see the run, and never the value', async () => {
  const { body: run } = await start(ada)
  const body = { kind: 'GitHub token', characters: 40 }
  expect((await ada.post(`/v1/runs/${run.id}/reveals`, body)).status).toBe(200)
  const refused = [{ kind: 'the value itself' }, { characters: 0 }, { value: 'x' }]
  for (const wrong of refused) {
    const answer = await ada.post(`/v1/runs/${run.id}/reveals`, { ...body, ...wrong })
    expect(answer.status, JSON.stringify(wrong)).toBe(422)
  }
  const stranger = await api.signIn(await addPerson(api.service.db, 'Sly', ['auditors']))
  expect((await stranger.post(`/v1/runs/${run.id}/reveals`, body)).status).toBe(404)
  const revealed = await rowsOf(
    api.service.db,
    'audit_event',
    { run_id: run.id, type: 'content.revealed' },
    'actor_id',
    'document',
  )
  expect(revealed.map(({ actor_id: actor }) => actor)).toEqual([api.people.ada.id])
  expect(JSON.parse(revealed[0]?.document ?? '').detail).toEqual({ secret: body })
})

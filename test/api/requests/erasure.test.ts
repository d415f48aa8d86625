import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { createApiWithActivators } from '../activating-operators.ts'

const api = disposeAfterTests(await createApiWithActivators())

// Rules: security.md 22
test('the words of people are erased over HTTP for those with the right, by request and by person; others get 403', async () => {
  const [grace, olga] = [await api.signIn(api.people.grace), await api.signIn(api.people.olga)]
  const run = await addRun(api.service, { startedBy: api.people.ada })
  const { id } = await addRequest(api.service, run)
  const commented = `/v1/requests/${id}/comments`
  await grace.post(commented, { text: 'first words' })
  const ofRequest = `/v1/requests/${id}/erasures`
  const ofPerson = '/v1/people/grace@example.com/erasures'
  for (const path of [ofRequest, ofPerson]) {
    expect(await grace.post(path, { why: 'x' })).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    })
    expect(await olga.post(path, {})).toMatchObject({ status: 422 })
  }
  expect(await olga.post(ofRequest, { why: 'x', person: 'ada@example.com' })).toMatchObject({
    status: 200,
    body: { texts: 0, requests: 0 },
  })
  expect(await olga.post(ofRequest, { why: 'a name' })).toMatchObject({
    status: 200,
    body: { texts: 1, requests: 1 },
  })
  await grace.post(commented, { text: 'second words' })
  expect(await olga.post(ofPerson, { why: 'left' })).toMatchObject({
    status: 200,
    body: { texts: 1, requests: 1 },
  })
  const reply = await grace.get(`/v1/requests/${id}`)
  expect(reply.text).not.toContain('words')
  expect(reply.body.comments).toMatchObject([
    { text: expect.stringContaining('by Olga') },
    { text: expect.stringContaining('[erased on ') },
  ])
})

test('the contents of a call are erased over HTTP once its run has ended; until then 409 says what to do', async () => {
  const [grace, olga] = [await api.signIn(api.people.grace), await api.signIn(api.people.olga)]
  const run = await addRun(api.service, { startedBy: api.people.ada })
  const { id } = await addRequest(api.service, run)
  const path = `/v1/requests/${id}/erasures`
  const body = { what: 'contents', why: 'an address' }
  expect(await grace.post(path, body)).toMatchObject({ status: 403 })
  expect(await olga.post(path, { ...body, person: 'ada@example.com' })).toMatchObject({
    status: 422,
    body: { code: 'invalid_request' },
  })
  expect(await olga.post(path, { ...body, what: 'everything' })).toMatchObject({ status: 422 })
  expect(await olga.post(path, body)).toMatchObject({
    status: 409,
    body: { code: 'conflict', detail: expect.stringContaining('Decide it or cancel its run') },
  })
  expect(await olga.post(`/v1/runs/${run.id}/cancel`, {})).toMatchObject({ status: 200 })
  expect(await olga.post(path, body)).toMatchObject({
    status: 200,
    body: { texts: 0, requests: 1, contents: expect.any(Number), kept: expect.any(Number) },
  })
  expect(await grace.get(`/v1/requests/${id}`)).toMatchObject({
    status: 200,
    body: {
      title: 'Call write_file (contents erased)',
      input: { erased: expect.stringContaining('[erased on ') },
      erased: { by: { name: 'Olga' }, contents: expect.any(Array) },
    },
  })
  expect(await grace.get(`/v1/requests/${id}/content`)).toMatchObject({
    status: 404,
    body: { code: 'not_found', erasedBy: 'Olga', detail: expect.stringContaining('were erased') },
  })
  expect(await olga.post(path, body)).toMatchObject({ status: 200, body: { requests: 0 } })
})

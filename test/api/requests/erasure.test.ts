import { afterAll, beforeAll, expect, test } from 'vitest'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { createApiWithActivators } from '../activating-operators.ts'
import type { TestApi } from '../test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await createApiWithActivators()
})
afterAll(() => api[Symbol.asyncDispose]())

// Rules: security.md 22
test('what people wrote is erased over HTTP by who may, of a request and of a person; others are told 403', async () => {
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
  const shown = await grace.get(`/v1/requests/${id}`)
  expect(shown.text).not.toContain('words')
  expect(shown.body.comments).toMatchObject([
    { text: expect.stringContaining('by Olga') },
    { text: expect.stringContaining('[erased on ') },
  ])
})

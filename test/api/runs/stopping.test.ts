import { expect, test } from 'vitest'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { createTestApi } from '../test-api.ts'

test('a caller that waits for a decision, or for its result, is answered at once when the process stops', async () => {
  const stopping = new AbortController()
  await using api = await createTestApi({ stopping: stopping.signal })
  const run = await addRun(api.service, { startedBy: api.people.ada })
  const request = await addRequest(api.service, run, { position: 1 })
  const other = await addRequest(api.service, run, { position: 2 })
  const grace = await api.signIn(api.people.grace)
  const decision = { decision: 'approve', digest: request.digest, revision: 1 }
  const waiting = [
    grace.post(`/v1/requests/${request.id}/decisions`, decision, { prefer: 'wait=60' }),
    grace.get(`/v1/requests/${other.id}?wait=60`),
  ]
  // Both are recorded, or waited for, before the process stops.
  await expect
    .poll(async () => (await grace.get(`/v1/requests/${request.id}`)).body.state, {
      timeout: 60_000,
    })
    .toBe('approved')
  stopping.abort()
  const [decided, polled] = await Promise.all(waiting)
  expect(decided).toMatchObject({ status: 200, body: { state: 'approved', stage: 'recorded' } })
  expect(polled).toMatchObject({ status: 200, body: { state: 'pending' } })
}, 55_000)

import { expect, test } from 'vitest'
import { neededPeople } from '#domain/deciding/needed-people.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { addRequest, addRun } from '#test/harness/fixtures/gated-run.ts'
import { addPerson } from '#test/harness/fixtures/people.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { decideRequest } from '../../decisions/decide-request.ts'
import { getRun } from './get-run.ts'

const database = disposeAfterTests(await createTestDatabase())
const { db } = database
const service = await createTestService(db)
const ada = await addPerson(db, 'Ada', ['platform'])
const grace = await addPerson(db, 'Grace', ['platform'])
await addPerson(db, 'Linus', ['platform'])
const olga = await addPerson(db, 'Olga', ['security'])

// Rules: product.md 18
test('a run waits for the people whose approval fills an open place, and not for others of their teams', async () => {
  const quorum = {
    any: [
      [
        { team: 'platform', count: 1 },
        { team: 'security', count: 1 },
      ],
    ],
  }
  const run = await addRun(service, { startedBy: ada })
  const request = await addRequest(service, run, { quorum })
  const waitsFor = async (): Promise<string[]> => {
    const { waitsFor: requests } = await getRun(service.ctx, olga.caller, run.id)
    return requests.flatMap(({ people }) => neededPeople(people).map(({ name }) => name))
  }
  expect(await waitsFor()).toEqual(['Grace', 'Linus', 'Olga'])
  const { digest, revision } = await rowOf(db, 'request', { id: request.id }, 'digest', 'revision')
  const body = { decision: 'approve', digest, revision }
  await decideRequest(service.ctx, grace.caller, { request: request.id, body })
  expect(await waitsFor()).toEqual(['Olga'])
  // Also where more people than are returned can decide, and come first by name.
  for (let n = 0; n < 21; n += 1) await addPerson(db, `Alan ${n}`, ['platform'])
  expect(await waitsFor()).toEqual(['Olga'])
})

import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { addRequest, addRun } from '#test/harness/fixtures/gated-run.ts'
import { addKey, addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { sessionTimes } from '../access/sessions/session-times.ts'
import { createSignInLink, consumeSignInLink } from '../access/sign-in/sign-in-link.ts'
import { decideAs } from '#test/harness/fixtures/runs/decide-as.ts'
import { readFirstSteps } from './first-steps.ts'

const database = disposeAfterTests(await createTestDatabase())
const service = await createTestService(database.db)
const people = {
  ada: await addPerson(database.db, 'Ada', []),
  grace: await addPerson(database.db, 'Grace', ['platform']),
  sam: await addPerson(database.db, 'Sam', []),
}

const done = async ({ caller }: TestPerson = people.grace): Promise<readonly string[]> => {
  const steps = await readFirstSteps(service.ctx, caller)
  return steps.filter((step) => step.done).map(({ id }) => id)
}

test('a first step is complete once it was done, for people who may see what was done', async () => {
  expect(await done()).toEqual([])
  const run = await addRun(service, { startedBy: people.ada })
  const request = await addRequest(service, run)
  expect(await done()).toEqual(['run'])
  await decideAs(service.ctx, people.grace, request)
  expect(await done()).toEqual(['run', 'decision'])
  const key = await addKey(database.db, people.grace)
  expect(await done()).toEqual(['run', 'decision'])
  await sql`update api_key set last_used_at = now() where id = ${key.id}`.execute(database.db)
  expect(await done()).toEqual(['run', 'decision', 'agent'])
  const { token } = await createSignInLink(service.ctx, people.ada.caller, {
    email: 'ada@example.com',
  })
  await consumeSignInLink(service.ctx, {
    token,
    channel: 'dashboard',
    times: sessionTimes,
    replacesToken: null,
    device: 'Firefox on Linux',
    proofHash: null,
    replaceSession: false,
  })
  expect(await done()).toEqual(['run', 'decision', 'agent', 'person'])
})

// Rules: security.md 22
test('a first step does not count as complete because of something that its reader may not see', async () => {
  expect(await done(people.sam)).toEqual(['person'])
})

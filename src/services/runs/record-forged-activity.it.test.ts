import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { silentLog } from '#test/harness/silent-log.ts'
import { recordForgedActivity } from './record-forged-activity.ts'

const database = disposeAfterTests(await createTestDatabase())

// Rules: security.md 33
test('an activity for a gateway call that is not there, or under no id, is in the log', async () => {
  const { ctx } = await createTestService(database.db)
  const entries: unknown[] = []
  const log = { ...silentLog, warn: (fields: unknown) => void entries.push(fields) }
  for (const requestId of [randomUUID(), 'not an id']) {
    const arrived = { activity: 'settleGatewayCall', subject: { requestId }, workflowId: 'forge' }
    await recordForgedActivity({ ...ctx, log }, arrived)
  }
  const entry = { activity: 'settleGatewayCall', workflowId: 'forge' }
  expect(entries).toEqual([entry, entry])
})

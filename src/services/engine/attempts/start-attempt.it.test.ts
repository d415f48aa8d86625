import { expect, it } from 'vitest'
import { hasFailedWith } from '#store/connection/fail-unless.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { rowOf, rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import { addWaitingCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { attemptToStart, changedSince } from './start-attempt.ts'

const desk = disposeAfterTests(await openAgentDesk())
const { db } = desk.database

it('an attempt does not start with a permit that is no longer live, or judged by another policy or epoch: its statement fails, with that reason alone', async () => {
  const { call, digest } = await addWaitingCall(desk, 'one')
  await desk.decide(desk.people.grace, call.requestId)
  const permit = await rowOf(db, 'permit', { request_id: call.requestId }, 'id')
  const { epoch } = await rowOf(db, 'installation', {}, 'epoch')
  const { digest: newestPolicy } = await rowOf(db, 'policy_activation', {}, 'digest')
  const start = async (
    executor: string,
    judgedBy: { epoch?: number; newestPolicy?: string | null } = {},
  ): Promise<unknown> =>
    attemptToStart({
      callId: call.id,
      attempt: 1,
      requestId: call.requestId,
      permitId: permit.id,
      grantId: null,
      digest,
      executor,
      detail: {},
      facts: { toolHash: digest, bases: [] },
      epoch,
      newestPolicy,
      ...judgedBy,
    })
      .execute(db)
      .catch((error: unknown) => error)
  await setRows(db, 'permit', { id: permit.id }, { state: 'lapsed' })
  expect(hasFailedWith(await start('host'), changedSince)).toBe(true)
  expect(await rowsOf(db, 'execution', { call_id: call.id })).toEqual([])
  await setRows(db, 'permit', { id: permit.id }, { state: 'live' })
  expect(hasFailedWith(await start('\0'), changedSince)).toBe(false)
  for (const other of [{ epoch: epoch + 1 }, { newestPolicy: digest }, { newestPolicy: null }]) {
    expect(hasFailedWith(await start('host', other), changedSince)).toBe(true)
  }
  expect(await rowsOf(db, 'execution', { call_id: call.id })).toEqual([])
  await start('host')
  expect(await rowOf(db, 'execution', { call_id: call.id })).toMatchObject({ state: 'started' })
  expect(await rowOf(db, 'permit', { id: permit.id })).toMatchObject({ state: 'consumed' })
})

import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { setRows } from '#test/harness/fixtures/rows.ts'
import { useOwnNamespace } from '#test/harness/temporal.ts'
import { createServiceProcess } from '#services/core/system.ts'
import { openProgramDesk } from '#services/external/external.fixture.ts'
import { consumeGatewayPermit } from '#services/gateway/consume-gateway-permit.ts'
import { settleGatewayCall } from '#services/gateway/settle-gateway-call.ts'
import { NamespaceGuard } from '../namespace-guard.ts'
import { connectTemporal } from '../temporal-client.ts'
import { reconcileApprovals } from './reconciler.ts'

const desk = disposeAfterTests(await openProgramDesk())
const temporal = disposeAfterTests(connectTemporal(await useOwnNamespace()))
const { db, ctx, policy } = desk.service
const guard = new NamespaceGuard({ db, temporal })
const taskQueue = 'nobody serves this'
const delivering = { db, temporal, guard, taskQueue, admit: async () => true }

/** The outcome check of a call of the gateway that was lost after it began. */
async function openCheck(): Promise<string> {
  const { id, digest } = await desk.askByGateway({ byTask: true }).then(async (request) => {
    await desk.decide(request, 'approve')
    return request
  })
  const host = { ...ctx, system: createServiceProcess() }
  const { signal } = new AbortController()
  await consumeGatewayPermit(host, id, { digest, policyDigest: policy.digest, signal })
  await settleGatewayCall(host, { requestId: id })
  return (await desk.read(id)).outcomeCheck ?? ''
}

// Rules: security.md 31
test('a pending request of a program, and the check of a lost gateway call, get the workflow that Temporal lost, once', async () => {
  const pending = [(await desk.ask()).id, await openCheck()]
  expect(await reconcileApprovals(delivering)).toEqual([])
  for (const id of pending) await setRows(db, 'request', { id }, { created_at: new Date(0) })
  expect(await reconcileApprovals(delivering)).toEqual(pending)
  expect(await reconcileApprovals(delivering)).toEqual([])
})

import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { useOwnNamespace } from '#test/harness/temporal.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { openProgramDesk, type ProgramDesk } from '#services/external/external.fixture.ts'
import { NamespaceGuard } from './namespace-guard.ts'
import { approvalWorkflowId, startApproval, startGatewayCall } from './outbox/start-for-request.ts'
import { RunListing } from './run-listing.ts'
import { connectTemporal, type TemporalClient } from './temporal-client.ts'

let desk: ProgramDesk
let temporal: TemporalClient

beforeAll(async () => {
  desk = await openProgramDesk()
  temporal = connectTemporal({ ...(await useOwnNamespace()), deadlineMs: 10_000 })
})
afterAll(async () => {
  await temporal?.[Symbol.asyncDispose]()
  await desk?.[Symbol.asyncDispose]()
})

function delivering(client: TemporalClient) {
  const { ctx, db } = desk.service
  const publicUrl = 'https://approvals.example.com'
  const listing = new RunListing({ db, temporal: client, publicUrl, log: ctx.log })
  const guard = new NamespaceGuard({ db, temporal })
  return { temporal, guard, listing, taskQueue: 'nobody serves this' }
}

async function found(query: string): Promise<string[]> {
  const ids: string[] = []
  for await (const { workflowId } of temporal.client.workflow.list({ query })) ids.push(workflowId)
  return ids.toSorted()
}

it('requests of programs are found in Temporal’s own list by queue, starter and number, with a summary', async () => {
  let start = delivering(temporal)
  onTestFinished(() => start.listing[Symbol.asyncDispose]())
  expect(await start.listing.hasAttributes()).toBe(true)
  const waiting = await desk.ask()
  const approved = await desk.ask()
  await desk.decide(approved, 'approve')
  const handle = temporal.client.workflow.getHandle(approvalWorkflowId(waiting.id))
  // The server learns of new attributes a moment later; until then workflows go without.
  const isListed = async (): Promise<boolean> => {
    await startApproval(start, waiting.id)
    const { typedSearchAttributes } = await handle.describe()
    if (typedSearchAttributes.getAll().length > 0) return true
    await handle.terminate()
    await start.listing[Symbol.asyncDispose]()
    start = delivering(temporal)
    return false
  }
  await waitUntil(isListed, { everyMs: 500 })
  expect(await startApproval(start, waiting.id)).toBe('was_started')
  await startGatewayCall(start, { requestId: approved.id, taskQueue: 'host' })
  const waits = `CountersignState = 'waiting_for_approval' AND CountersignQueue = '${waiting.queue}'`
  const here = [approvalWorkflowId(waiting.id)]
  await waitUntil(async () => String(await found(waits)) === String(here))
  const number = `CountersignNumber = ${waiting.number}`
  expect(await found(`${number} AND CountersignStarter = '${desk.grace.id}'`)).toEqual(here)
  const making = "CountersignState = 'running' AND WorkflowType = 'gatewayCall'"
  const calls = async () => String(await found(making)) === `gateway:${approved.id}`
  await waitUntil(calls)
  const described = await handle.describe()
  expect(await described.staticSummary()).toBe(`#${waiting.number} deploy`)
  expect(await described.staticDetails()).toContain(
    `https://approvals.example.com/requests/${waiting.id}`,
  )
  expect(described.memo).toEqual({
    requestId: waiting.id,
    number: waiting.number,
    tool: 'deploy',
    queue: waiting.queue,
    starter: desk.grace.id,
  })
})

it('where the service may not read the attributes, a request is started with its summary only', async () => {
  const searchAttributes = (): Promise<never> => Promise.reject(new Error('7 PERMISSION_DENIED'))
  const start = delivering({ ...temporal, searchAttributes, client: temporal.client })
  await using _ = start.listing
  const { id, number } = await desk.ask()
  expect(await startApproval(start, id)).toBe('started')
  const described = await temporal.client.workflow.getHandle(approvalWorkflowId(id)).describe()
  expect(described.typedSearchAttributes.getAll()).toEqual([])
  expect(await described.staticSummary()).toBe(`#${number} deploy`)
})

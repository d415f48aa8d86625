import { expect, it } from 'vitest'
import { EventSequencer } from '#delivery/stream/event-sequencer.ts'
import { decideMany } from '#services/decisions/decide-many.ts'
import { decideRequest } from '#services/decisions/decide-request.ts'
import { executeCall } from '#services/engine/executions/execute-call.ts'
import { takeTurn } from '#services/engine/turns/take-turn.ts'
import { openExternal } from '#services/external/open-external.ts'
import { claimRequest } from '#services/requests/claim-request.ts'
import { commentRequest } from '#services/requests/comment-request.ts'
import { getRequest } from '#services/requests/detail/get-request.ts'
import { extendRequest } from '#services/requests/extend-request.ts'
import { listRequests } from '#services/requests/lists/list-requests.ts'
import { reviseRequest } from '#services/revising/revise-request.ts'
import { startRun } from '#services/runs/starting/start-run.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { openAgentDesk } from '../harness/fixtures/agent-desk.ts'
import { withTripCount } from '../harness/fixtures/count-queries.ts'
import { addKey } from '../harness/fixtures/people.ts'
import { addWaitingCall } from '../harness/fixtures/runs/waiting-call.ts'
import { silentLog } from '../harness/silent-log.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { approvalsOf } from './approvals-of.ts'
import { contextOn } from './context-on.ts'

const desk = disposeAfterTests(await openAgentDesk())
const { db, take } = withTripCount(desk.database.url)
disposeAfterTests(db)

const api = contextOn(db, desk.api)
const worker = contextOn(db, desk.worker)
// The first use of a policy version reads it.
await api.policies.inForce()
await worker.policies.inForce()

/** The round trips of an action: a connection sends something, and waits for the answers. */
async function tripsOf(act: () => Promise<unknown>): Promise<number> {
  take()
  await act()
  return take()
}

it('an approval takes at most 2 round trips to Postgres, its commit and its key included, and ten of one run in one call 6', async () => {
  const { call, digest } = await addWaitingCall(desk, 'one')
  const { caller } = desk.people.grace
  const body = { decision: 'approve', digest, revision: 1 }
  const one = await tripsOf(() => decideRequest(api, caller, { request: call.requestId, body }))
  expect(one).toBeLessThanOrEqual(2)
  const other = await addWaitingCall(desk, 'keyed')
  const keyed = await tripsOf(() =>
    decideRequest(api, caller, {
      request: other.call.requestId,
      idempotencyKey: 'one',
      body: { decision: 'approve', digest: other.digest, revision: 1 },
    }),
  )
  expect(keyed).toBeLessThanOrEqual(2)
  const runId = await desk.start()
  const calls = Array.from({ length: 10 }, (_, index) => ({
    tool: 'write_file',
    input: { path: `notes/${index}.md`, content: 'hello\n' },
  }))
  desk.say({ text: 'I act.', calls })
  await desk.turn(runId, 1)
  const decisions = await approvalsOf(desk.database.db, runId)
  expect(await tripsOf(() => decideMany(api, caller, { decisions }))).toBeLessThanOrEqual(6)
})

it('a claim, a comment, an extension and a changed call take at most 9, 10, 7 and 13 round trips', async () => {
  const { call, digest } = await addWaitingCall(desk, 'acts')
  const { caller } = desk.people.grace
  const request = call.requestId
  const at = { request, digest, revision: 1, input: { path: 'notes/acts.md', content: 'b' } }
  const expiresAt = new Date(Date.now() + 9 * 86_400_000).toISOString()
  const claim = await tripsOf(() => claimRequest(api, caller, { request }))
  expect(claim).toBeLessThanOrEqual(9)
  const comment = await tripsOf(() => commentRequest(api, caller, { request, text: 'why?' }))
  expect(comment).toBeLessThanOrEqual(10)
  const extension = await tripsOf(() => extendRequest(api, caller, { request, expiresAt }))
  expect(extension).toBeLessThanOrEqual(7)
  expect(await tripsOf(() => reviseRequest(api, caller, at))).toBeLessThanOrEqual(13)
})

it("the start of a run takes at most 4 round trips, a turn that asks 9, and the opening of a program's request 8", async () => {
  const { ada, grace } = desk.people
  const input = { worker: 'scribe', input: 'Write notes' }
  expect(await tripsOf(() => startRun(api, ada.caller, input))).toBeLessThanOrEqual(4)
  const runId = await desk.start()
  desk.say({
    text: 'I act.',
    calls: [{ tool: 'write_file', input: { path: 'notes/a.md', content: '-' } }],
  })
  const { signal } = new AbortController()
  expect(await tripsOf(() => takeTurn(worker, { runId, turn: 1, signal }))).toBeLessThanOrEqual(9)
  const program = await addKey(desk.database.db, grace)
  const call = { tool: 'deploy', input: { service: 'shop' }, externalId: 'deploy-1' }
  expect(await tripsOf(() => openExternal(api, program.caller, call))).toBeLessThanOrEqual(8)
})

it('numbering the new events of the live stream takes 1 round trip', async () => {
  await addWaitingCall(desk, 'events')
  const unnumbered = () =>
    desk.database.db.selectFrom('event').select('id').where('sequence', 'is', null).execute()
  expect(await unnumbered()).not.toEqual([])
  const trips = await tripsOf(async () => {
    await using _ = new EventSequencer({ db, databaseUrl: desk.database.url, log: silentLog })
    await waitUntil(async () => (await unnumbered()).length === 0)
  })
  // One for these, and one when its notifications begin.
  expect(trips).toBeLessThanOrEqual(2)
})

it('the page of a request takes at most 9 round trips, and the first page of a list 5', async () => {
  const { call } = await addWaitingCall(desk, 'page')
  const { caller } = desk.people.grace
  expect(
    await tripsOf(() => getRequest(api, caller, { request: call.requestId })),
  ).toBeLessThanOrEqual(9)
  expect(await tripsOf(() => listRequests(api, caller, { state: 'pending' }))).toBeLessThanOrEqual(
    5,
  )
})

it('an approved call takes at most 3 round trips before its tool begins and 7 in all, and the last turn of its run 9', async () => {
  const { call, runId } = await addWaitingCall(desk, 'executed')
  await desk.decide(desk.people.grace, call.requestId)
  const { signal } = new AbortController()
  let before = Number.POSITIVE_INFINITY
  desk.beforeExecute = async () => {
    before = take()
  }
  const after = await tripsOf(() => executeCall(worker, { callId: call.id, signal }))
  expect(before).toBeLessThanOrEqual(3)
  expect(before + after).toBeLessThanOrEqual(7)
  desk.say({ text: 'Done.' })
  expect(await tripsOf(() => takeTurn(worker, { runId, turn: 2, signal }))).toBeLessThanOrEqual(9)
})

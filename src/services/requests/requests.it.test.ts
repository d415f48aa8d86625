import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/harness/postgres.ts'
import {
  textsOf,
  withQueryLog,
  type LoggedQuery,
} from '../../../test/harness/fixtures/count-queries.ts'
import {
  addRequest,
  addRun,
  type TestRequest,
  type TestRun,
} from '../../../test/harness/fixtures/gated-run.ts'
import { addKey, addPerson, type TestPerson } from '../../../test/harness/fixtures/people.ts'
import { refusal } from '../../../test/harness/fixtures/refusal.ts'
import { createTestService, type TestService } from '../../../test/harness/fixtures/test-service.ts'
import { decideRequest } from '../decisions/decide-request.ts'
import { claimRequest, releaseClaim } from './claim-request.ts'
import { commentRequest } from './comment-request.ts'
import { getRequest } from './get-request.ts'
import { listQueues } from './list-queues.ts'
import { listRequests, type ListRequestsInput } from './list-requests.ts'
import { requestContent } from './request-content.ts'

let database: TestDatabase
let service: TestService
let ada: TestPerson
let grace: TestPerson
let linus: TestPerson
let edsger: TestPerson
let olga: TestPerson
let root: TestRun
let child: TestRun
let first: TestRequest
let second: TestRequest
let third: TestRequest

beforeAll(async () => {
  database = await createTestDatabase()
  service = await createTestService(database.db)
  ada = await addPerson(database.db, 'Ada', [])
  grace = await addPerson(database.db, 'Grace', ['platform'])
  linus = await addPerson(database.db, 'Linus', ['platform'])
  edsger = await addPerson(database.db, 'Edsger', ['security'])
  olga = await addPerson(database.db, 'Olga', ['operators'])
  root = await addRun(service, { startedBy: ada })
  child = await addRun(service, { startedBy: grace, parent: root })
  const hour = 3_600_000
  first = await addRequest(service, root, { risk: 'low', expiresInMs: 3 * hour })
  second = await addRequest(service, root, { position: 2, risk: 'high', expiresInMs: hour })
  third = await addRequest(service, child, { tool: 'delete_file', expiresInMs: 2 * hour })
})
afterAll(() => database[Symbol.asyncDispose]())

async function list(person: TestPerson, input: ListRequestsInput = {}): Promise<string[]> {
  const { items } = await listRequests(service.ctx, person.caller, input)
  return items.map((item) => item.id)
}

describe('a list of requests', () => {
  test('is seen by the queue, by who started the run or one above it, and by who manages runs', async () => {
    expect(await list(grace)).toEqual([third.id, second.id, first.id])
    expect(await list(ada)).toEqual([third.id, second.id, first.id])
    expect(await list(olga)).toEqual([third.id, second.id, first.id])
  })

  test('does not exist for others, and a key sees what its owner sees', async () => {
    expect(await list(edsger)).toEqual([])
    const unseen = getRequest(service.ctx, edsger.caller, { request: first.id })
    expect((await refusal(unseen)).code).toBe('not_found')
    const key = await addKey(database.db, ada)
    const { items } = await listRequests(service.ctx, key.caller, {})
    expect(items).toHaveLength(3)
    expect(items[0]?.eligibility.canDecide).toBe(false)
    const strangersKey = await addKey(database.db, edsger)
    expect((await listRequests(service.ctx, strangersKey.caller, {})).items).toEqual([])
  })

  test('has its orders: newest first, soonest to expire, highest risk', async () => {
    expect(await list(grace, { sort: 'createdAt' })).toEqual([third.id, second.id, first.id])
    expect(await list(grace, { sort: 'expiresAt' })).toEqual([second.id, third.id, first.id])
    expect(await list(grace, { sort: 'risk' })).toEqual([second.id, third.id, first.id])
  })

  test.each(['createdAt', 'expiresAt', 'risk'] as const)(
    'by %s goes on where the page before ended, without gap or repeat',
    async (sort) => {
      const whole = await list(grace, { sort })
      const paged: string[] = []
      let cursor: string | undefined
      do {
        const page: ListRequestsInput = {
          sort,
          limit: 1,
          ...(cursor === undefined ? {} : { cursor }),
        }
        const { items, nextCursor } = await listRequests(service.ctx, grace.caller, page)
        paged.push(...items.map((item) => item.id))
        cursor = nextCursor ?? undefined
      } while (cursor !== undefined)
      expect(paged).toEqual(whole)
    },
  )

  test('refuses a cursor of another order, or made up', async () => {
    const { nextCursor } = await listRequests(service.ctx, grace.caller, { limit: 1 })
    for (const cursor of [
      nextCursor ?? '',
      'x',
      Buffer.from('["risk","1"]').toString('base64url'),
    ]) {
      const attempt = listRequests(service.ctx, grace.caller, { sort: 'risk', cursor })
      expect((await refusal(attempt)).code).toBe('invalid_request')
    }
  })

  test('is filtered by queue, risk, tool, run, state and words, with % and _ as themselves', async () => {
    expect(await list(grace, { queue: 'security' })).toEqual([])
    expect(await list(grace, { queue: 'platform', risk: 'high' })).toEqual([second.id])
    expect(await list(grace, { tool: 'delete_file' })).toEqual([third.id])
    expect(await list(grace, { runId: child.id })).toEqual([third.id])
    expect(await list(grace, { state: 'approved' })).toEqual([])
    expect(await list(grace, { q: 'notes/2' })).toEqual([second.id])
    expect(await list(grace, { q: 'SCRIBE' })).toHaveLength(3)
    expect(await list(grace, { q: '%' })).toEqual([])
    expect(await list(grace, { q: 'note_/2' })).toEqual([])
  })

  test('that is mine has what I may decide and have not voted on', async () => {
    expect(await list(grace, { mine: true })).toEqual([second.id, first.id])
    expect(await list(linus, { mine: true })).toEqual([third.id, second.id, first.id])
    expect(await list(ada, { mine: true })).toEqual([])
    const quorum = { any: [[{ team: 'platform', count: 2 }]] }
    const two = await addRequest(service, root, { turn: 2, quorum })
    const body = { decision: 'approve', digest: two.digest, revision: 1 }
    await decideRequest(service.ctx, linus.caller, { request: two.id, body })
    expect(await list(linus, { mine: true })).not.toContain(two.id)
    expect(await list(grace, { mine: true })).toContain(two.id)
    await decideRequest(service.ctx, grace.caller, { request: two.id, body })
    expect(await list(grace, { mine: true })).not.toContain(two.id)
  })

  test('and a queue list and one request cost the same number of queries whatever they hold', async () => {
    const queries: LoggedQuery[] = []
    const db = withQueryLog(database.url, queries)
    const ctx = { ...service.ctx, db }
    try {
      await listRequests(ctx, grace.caller, { state: 'pending' })
      expect(queries.length, textsOf(queries)).toBeLessThanOrEqual(4)
      queries.length = 0
      await getRequest(ctx, grace.caller, { request: first.id })
      expect(queries.length, textsOf(queries)).toBeLessThanOrEqual(6)
      queries.length = 0
      await listQueues(ctx, grace.caller)
      expect(queries.length, textsOf(queries)).toBeLessThanOrEqual(2)
    } finally {
      await db.destroy()
    }
  })
})

describe('one request', () => {
  test('has everything its page shows, with the reason why its reader may not decide', async () => {
    const detail = await getRequest(service.ctx, ada.caller, { request: first.id })
    expect(detail).toMatchObject({
      id: first.id,
      state: 'pending',
      kind: 'tool_call',
      queue: 'platform',
      input: first.input,
      worker: 'scribe',
      mode: 'prompt',
      toolCallId: 'call-1-1',
      turn: 1,
      batch: {
        position: 1,
        size: 2,
        siblings: [{ requestId: second.id, state: 'pending', verdict: 'ask', tool: 'write_file' }],
      },
      lineage: [{ runId: root.id, worker: 'scribe', startedBy: { id: ada.id, name: 'Ada' } }],
      quorum: { counted: [], missing: [{ team: 'platform', count: 1 }], text: '1 of platform' },
      eligibility: { canDecide: false, reason: "you can't decide: you are not in platform" },
      eligiblePeople: [{ name: 'Grace' }, { name: 'Linus' }],
      allowedDecisions: ['approve', 'deny'],
      allowedScopes: ['once', 'run', 'path'],
      decisions: [],
      previous: [],
      execution: { state: 'not_started' },
      decidedAt: null,
      claim: null,
    })
    expect(detail.presentation.digest).toBe(first.presentationDigest)
    expect(detail.eligibility.canDecide).toBe(false)
    const own = await getRequest(service.ctx, grace.caller, { request: third.id })
    expect(own.eligibility.reason).toBe("you can't decide: you started this run")
    expect(own.lineage.map((run) => run.runId)).toEqual([root.id, child.id])
    expect(own.eligiblePeople.map((person) => person.name)).toEqual(['Linus'])
  })

  test('is found by its number, and its version changes with it', async () => {
    const before = await getRequest(service.ctx, grace.caller, { request: first.id })
    const again = await getRequest(service.ctx, grace.caller, { request: String(before.number) })
    expect(again).toEqual(before)
    await commentRequest(service.ctx, linus.caller, {
      request: first.id,
      text: 'is this <b>ok</b>?',
    })
    const after = await getRequest(service.ctx, grace.caller, { request: first.id })
    expect(after.version).not.toBe(before.version)
    expect(after.comments).toMatchObject([
      { text: 'is this <b>ok</b>?', person: { name: 'Linus' } },
    ])
  })

  test('that was decided shows who, what and why, also after they have left', async () => {
    const request = await addRequest(service, root, { turn: 3 })
    const leaver = await addPerson(database.db, 'Leaver', ['platform'])
    const body = { decision: 'approve', digest: request.digest, revision: 1, reason: 'as agreed' }
    await decideRequest(service.ctx, leaver.caller, { request: request.id, body })
    await database.db.deleteFrom('team_member').where('person_id', '=', leaver.id).execute()
    const detail = await getRequest(service.ctx, grace.caller, { request: request.id })
    expect(detail).toMatchObject({
      state: 'approved',
      decidedBy: { name: 'Leaver' },
      decisions: [{ person: { name: 'Leaver' }, decision: 'approve', reason: 'as agreed' }],
      quorum: { counted: [{ team: 'platform', person: { name: 'Leaver' } }], missing: [] },
      allowedDecisions: [],
      eligibility: { canDecide: false },
      eligiblePeople: [],
    })
  })

  test('has every byte of what will be written, and reading them is recorded', async () => {
    const content = await requestContent(service.ctx, grace.caller, { request: first.id })
    expect(content.bytes.toString()).toBe(JSON.stringify('hello\n'))
    expect(content.contentType).toBe('text/plain')
    const events = await database.db
      .selectFrom('audit_event')
      .select('actor_id')
      .where('request_id', '=', first.id)
      .where('type', '=', 'content.revealed')
      .execute()
    expect(events).toEqual([{ actor_id: grace.id }])
    const unseen = requestContent(service.ctx, edsger.caller, { request: first.id })
    expect((await refusal(unseen)).code).toBe('not_found')
  })
})

describe('a claim', () => {
  test('is a hint with a lease: others may not claim it, and may decide it all the same', async () => {
    const request = await addRequest(service, root, { turn: 4 })
    const claim = await claimRequest(service.ctx, grace.caller, { request: request.id })
    expect(claim.leaseUntil.getTime()).toBeGreaterThan(claim.at.getTime())
    await claimRequest(service.ctx, grace.caller, { request: request.id })
    const other = await refusal(claimRequest(service.ctx, linus.caller, { request: request.id }))
    expect([other.code, other.facts['claimedBy']]).toEqual(['claimed', 'Grace'])
    const release = refusal(releaseClaim(service.ctx, linus.caller, { request: request.id }))
    expect((await release).code).toBe('claimed')
    const detail = await getRequest(service.ctx, linus.caller, { request: request.id })
    expect(detail.claim?.person.name).toBe('Grace')
    const body = { decision: 'approve', digest: request.digest, revision: 1 }
    const answer = await decideRequest(service.ctx, linus.caller, { request: request.id, body })
    expect(answer.state).toBe('approved')
    const late = claimRequest(service.ctx, grace.caller, { request: request.id })
    expect((await refusal(late)).code).toBe('already_decided')
  })

  test('ends with its lease or its release, and is not for who is outside the queue', async () => {
    const request = await addRequest(service, root, { turn: 5 })
    await claimRequest(service.ctx, grace.caller, { request: request.id })
    await database.db
      .updateTable('claim')
      .set({ lease_until: sql<Date>`clock_timestamp()` })
      .where('request_id', '=', request.id)
      .execute()
    await claimRequest(service.ctx, linus.caller, { request: request.id })
    await releaseClaim(service.ctx, linus.caller, { request: request.id })
    await releaseClaim(service.ctx, linus.caller, { request: request.id })
    const detail = await getRequest(service.ctx, linus.caller, { request: request.id })
    expect(detail.claim).toBeNull()
    const outside = claimRequest(service.ctx, ada.caller, { request: request.id })
    expect((await refusal(outside)).code).toBe('not_eligible')
    const words = commentRequest(service.ctx, ada.caller, { request: request.id, text: 'please' })
    expect((await refusal(words)).code).toBe('not_eligible')
  })
})

test('the list of queues has each one with what the caller sees in it', async () => {
  const queues = await listQueues(service.ctx, grace.caller)
  const platform = queues.find((queue) => queue.name === 'platform')
  const pending = await list(grace, { state: 'pending', queue: 'platform' })
  const mine = await list(grace, { mine: true })
  expect(platform).toMatchObject({ team: 'platform', pending: pending.length, mine: mine.length })
  expect(platform?.expiringSoon).toBe(3)
  expect(platform?.oldestAt).toBeInstanceOf(Date)
  expect(queues.find((queue) => queue.name === 'security')).toMatchObject({
    pending: 0,
    oldestAt: null,
  })
  const [unseen] = await listQueues(service.ctx, edsger.caller)
  expect(unseen).toMatchObject({ name: 'platform', pending: 0 })
})

import { describe, expect, test } from 'vitest'
import { textsOf, withQueryLog, type LoggedQuery } from '#test/harness/fixtures/count-queries.ts'
import { addRequest } from '#test/harness/fixtures/gated-run.ts'
import { addKey } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { decideAs } from '#test/harness/fixtures/runs/decide-as.ts'
import { getRequest } from '../detail/get-request.ts'
import { listQueues } from './list-queues.ts'
import { listRequests, type ListRequestsInput } from './list-requests.ts'
import {
  useRequestDesk,
  database,
  service,
  ada,
  grace,
  linus,
  edsger,
  olga,
  root,
  child,
  first,
  second,
  third,
  list,
} from '../requests.fixture.ts'

useRequestDesk()

describe('a list of requests', () => {
  // Rules: security.md 22
  test('contains those of one’s queues, of runs that one started or that are below those, and all for people who manage runs', async () => {
    expect(await list(grace)).toEqual([first.id, second.id, third.id])
    expect(await list(ada)).toEqual([first.id, second.id, third.id])
    expect(await list(olga)).toEqual([first.id, second.id, third.id])
  })

  // Rules: security.md 22
  test('is empty for others, and a key sees the requests that its owner sees', async () => {
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
    expect(await list(grace, { sort: 'age' })).toEqual([first.id, second.id, third.id])
    expect(await list(grace, { sort: 'expiresAt' })).toEqual([second.id, third.id, first.id])
    expect(await list(grace, { sort: 'risk' })).toEqual([second.id, third.id, first.id])
  })

  test.each(['urgency', 'createdAt', 'age', 'expiresAt', 'risk'] as const)(
    'by %s continues after the last entry of the page before, without gap or repeat',
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
    const { number } = await rowOf(service.db, 'request', { id: second.id })
    for (const q of [`${number}`, `#${number}`])
      expect(await list(grace, { q })).toContain(second.id)
    expect(await list(grace, { q: '%' })).toEqual([])
    expect(await list(grace, { q: 'note_/2' })).toEqual([])
  })

  test('of mine has the requests that I may decide and have not voted on', async () => {
    expect(await list(grace, { mine: true })).toEqual([first.id, second.id])
    expect(await list(linus, { mine: true })).toEqual([first.id, second.id, third.id])
    expect(await list(ada, { mine: true })).toEqual([])
    const quorum = { any: [[{ team: 'platform', count: 2 }]] }
    const two = await addRequest(service, root, { turn: 2, quorum })
    await decideAs(service.ctx, linus, two)
    expect(await list(linus, { mine: true })).not.toContain(two.id)
    expect(await list(grace, { mine: true })).toContain(two.id)
    await decideAs(service.ctx, grace, two)
    expect(await list(grace, { mine: true })).not.toContain(two.id)
  })

  test('and a queue list and one request take the same number of queries, however many rows there are', async () => {
    const queries: LoggedQuery[] = []
    await using db = withQueryLog(database.url, queries)
    const ctx = { ...service.ctx, db }
    await listRequests(ctx, grace.caller, { state: 'pending' })
    expect(queries.length, textsOf(queries)).toBeLessThanOrEqual(4)
    queries.length = 0
    await getRequest(ctx, grace.caller, { request: first.id })
    expect(queries.length, textsOf(queries)).toBeLessThanOrEqual(9)
    queries.length = 0
    await listQueues(ctx, grace.caller, {})
    expect(queries.length, textsOf(queries)).toBeLessThanOrEqual(3)
  })
})

test('the list of queues has each one with the requests that the caller sees in it', async () => {
  const queues = (await listQueues(service.ctx, grace.caller, {})).items
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
  const [unseen] = (await listQueues(service.ctx, edsger.caller, {})).items
  expect(unseen).toMatchObject({ name: 'platform', pending: 0 })
})

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { deskConfig, openAgentDesk, type AgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import type { TestPerson } from '#test/harness/fixtures/people.ts'
import { getRequest } from '../detail/get-request.ts'
import { listRequests } from './list-requests.ts'

let desk: AgentDesk
let grace: TestPerson

beforeEach(async () => {
  desk = await openAgentDesk()
  ;({ grace } = desk.people)
  await desk.activate({
    'countersign.yaml': `${deskConfig}routing:\n  - { when: { path: 'notes/high*' }, risk: high }\n`,
  })
})
afterEach(() => desk[Symbol.asyncDispose]())

const write = (path: string, content = 'hello\n') => ({
  text: 'I write.',
  calls: [{ tool: 'write_file', input: { path, content } }],
})

/** A run that asks for one write of a new file; what is there already would ask nobody. */
async function ask(path: string, content?: string) {
  await rm(join(desk.root, path), { force: true })
  desk.say(write(path, content))
  const { runId, turn } = await desk.startTurn()
  const [call] = await desk.calls(runId, 1)
  const requestId = call?.requestId ?? ''
  return { runId, requestId, perform: () => desk.perform(turn) }
}

const detail = (request: string, who = grace) => getRequest(desk.api, who.caller, { request })

/** Approves as a person who read all of it, with a reason. */
async function approve(requestId: string, more: { readonly again?: true } = {}) {
  const { presentation } = await detail(requestId)
  await desk.decide(grace, requestId, { seen: presentation.digest, reason: 'read', ...more })
}

describe('requests like this one', () => {
  test('include an earlier one for exactly the same call, with when it was carried out and by whose decision', async () => {
    const first = await ask('notes/a.md')
    await desk.decide(grace, first.requestId, { reason: 'as agreed' })
    await first.perform()
    // The execution of a request does not count as an earlier one of it.
    expect((await detail(first.requestId)).alike).toEqual({
      same: [],
      similar: [],
      hidden: 0,
      again: 0,
    })
    const second = await ask('notes/a.md')
    const { alike } = await detail(second.requestId)
    expect(alike).toMatchObject({ similar: [], hidden: 0, again: 1 })
    expect(alike.same).toEqual([
      {
        requestId: first.requestId,
        number: expect.any(Number),
        title: expect.stringContaining('notes/a.md'),
        effect: 'Create notes/a.md with 1 line',
        worker: 'scribe',
        state: 'approved',
        execution: expect.objectContaining({ state: 'succeeded' }),
        at: expect.any(Date),
        decidedBy: 'Grace',
        reason: 'as agreed',
      },
    ])
    // The older request lists the newer one too.
    expect((await detail(first.requestId)).alike.same).toMatchObject([
      { requestId: second.requestId, state: 'pending', decidedBy: null },
    ])
  })

  test('include an earlier denial with its reason, which does not count as carried out', async () => {
    const first = await ask('notes/a.md')
    await desk.decide(grace, first.requestId, { decision: 'deny', reason: 'wrong account' })
    const { alike } = await detail((await ask('notes/a.md')).requestId)
    expect(alike.same).toMatchObject([
      { state: 'denied', decidedBy: 'Grace', reason: 'wrong account' },
    ])
    expect(alike.again).toBe(0)
  })

  test('include another call about the same file within 30 days, but no older one, and none of another file', async () => {
    const older = await ask('notes/a.md', 'older\n')
    const other = await ask('notes/b.md', 'other\n')
    const near = await ask('notes/a.md', 'near\n')
    await sql`update request_revision set created_at = now() - interval '31 days'
      where request_id = ${older.requestId}`.execute(desk.database.db)
    const { alike } = await detail((await ask('notes/a.md', 'newest\n')).requestId)
    expect(alike.same).toEqual([])
    expect(alike.similar.map(({ requestId }) => requestId)).toEqual([near.requestId])
    expect(other.requestId).not.toBe(near.requestId)
  })

  test('are at most five similar ones and ten of the same call, the newest first', async () => {
    const same: string[] = []
    const similar: string[] = []
    for (let n = 0; n < 12; n += 1) same.push((await ask('notes/a.md')).requestId)
    for (let n = 0; n < 6; n += 1) similar.push((await ask('notes/a.md', `${n}\n`)).requestId)
    const { alike } = await detail(same.pop() ?? '')
    expect(alike.same.map(({ requestId }) => requestId)).toEqual(same.toReversed().slice(0, 10))
    expect(alike.similar.map(({ requestId }) => requestId)).toEqual(
      similar.toReversed().slice(0, 5),
    )
  })

  test('that the caller may not see are only counted', async () => {
    const secret = await ask('notes/a.md', 'secret\n')
    const others = JSON.stringify({ any: [[{ team: 'others', count: 1 }]] })
    await sql`update request set team = 'others', routing = jsonb_set(routing, '{quorum}', ${others}::jsonb)
      where id = ${secret.requestId}`.execute(desk.database.db)
    const mine = await ask('notes/a.md', 'mine\n')
    const { alike } = await detail(mine.requestId)
    expect(alike).toMatchObject({ same: [], similar: [], hidden: 1 })
  })

  test('are counted in a list', async () => {
    const first = await ask('notes/a.md')
    await desk.decide(grace, first.requestId)
    await first.perform()
    const second = await ask('notes/a.md')
    await ask('notes/a.md', 'else\n')
    const { items } = await listRequests(desk.api, grace.caller, { state: 'pending' })
    expect(items.find(({ id }) => id === second.requestId)?.alike).toEqual({
      same: 1,
      similar: 1,
      again: 1,
    })
  })
})

// Rules: product.md 38
describe('at high risk, a call that was carried out before', () => {
  test('is approved only with `again`, which the trail keeps', async () => {
    const first = await ask('notes/high.md')
    await approve(first.requestId)
    await first.perform()
    const second = await ask('notes/high.md')
    await expect(approve(second.requestId)).rejects.toMatchObject({
      code: 'again_required',
      status: 428,
      facts: { again: 1 },
    })
    expect((await detail(second.requestId)).state).toBe('pending')
    await approve(second.requestId, { again: true })
    expect(await second.perform()).toMatchObject([{ kind: 'done' }])
    const { rows } = await sql<{ again: number | null }>`
      select (document::jsonb->'detail'->>'again')::int as again from audit_event
      where type = 'decision.recorded' and request_id = ${second.requestId}`.execute(
      desk.database.db,
    )
    expect(rows).toEqual([{ again: 1 }])
    expect((await detail((await ask('notes/high.md')).requestId)).alike.again).toBe(2)
  })

  test('is denied without `again`, and below high risk it is approved without it', async () => {
    const first = await ask('notes/high.md')
    await approve(first.requestId)
    await first.perform()
    const second = await ask('notes/high.md')
    await desk.decide(grace, second.requestId, { decision: 'deny', reason: 'once was enough' })
    const low = await ask('notes/a.md')
    await desk.decide(grace, low.requestId)
    await low.perform()
    const once = await ask('notes/a.md')
    await desk.decide(grace, once.requestId)
    expect((await detail(second.requestId)).state).toBe('denied')
    expect((await detail(once.requestId)).state).toBe('approved')
  })

  test('counts for a day when another run made it, and always when this one did', async () => {
    const first = await ask('notes/high.md')
    await approve(first.requestId)
    await first.perform()
    const second = await ask('notes/high.md')
    await sql`update execution set started_at = now() - interval '25 hours',
      finished_at = now() - interval '25 hours'`.execute(desk.database.db)
    expect((await detail(second.requestId)).alike.again).toBe(0)
    await approve(second.requestId)
    await second.perform()
    await sql`update run set created_at = now() - interval '26 hours'`.execute(desk.database.db)
    await sql`update execution set started_at = now() - interval '25 hours',
      finished_at = now() - interval '25 hours'`.execute(desk.database.db)
    // The same run asks once more: its own execution counts, however long ago.
    await rm(join(desk.root, 'notes/high.md'))
    desk.say(write('notes/high.md'))
    await desk.turn(second.runId, 2)
    const [call] = await desk.calls(second.runId, 2)
    expect((await detail(call?.requestId ?? '')).alike.again).toBe(1)
  })

  test('needs `again` also while it is carried out for another run', async () => {
    const first = await ask('notes/high.md')
    const second = await ask('notes/high.md')
    const secondDetail = await detail(second.requestId)
    expect(secondDetail.alike.again).toBe(0)
    await approve(first.requestId)
    await first.perform()
    // The page was read before; what counts is what is true when it is decided.
    await expect(
      desk.decide(grace, second.requestId, {
        seen: secondDetail.presentation.digest,
        reason: 'read',
      }),
    ).rejects.toMatchObject({ code: 'again_required' })
  })

  test.each([false, 1, 'true', null])('`again` is invalid as %j', async (again) => {
    const { requestId } = await ask('notes/high.md')
    await expect(desk.decide(grace, requestId, { again, reason: 'read' })).rejects.toMatchObject({
      code: 'invalid_request',
      facts: { field: 'again' },
    })
  })
})

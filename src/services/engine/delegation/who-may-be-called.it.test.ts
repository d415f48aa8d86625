import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { deskConfig } from '#test/harness/fixtures/agent-desk.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import type { Json } from '#domain/json/json.ts'
import { admitRun } from '../lifecycle/admit-run.ts'
import {
  desk,
  useDelegationDesk,
  toReviewer,
  delegating,
  delegated,
  waitedFor,
  row,
  zones,
  worker,
  files,
} from './delegation.fixture.ts'

useDelegationDesk()

describe('a worker that may not be called:', () => {
  test.each<[string, { readonly [field: string]: Json }, RegExp]>([
    ['a worker that is not on the list', { worker: 'nobody' }, /may not call the worker "nobody"/],
    ['an unknown field', { extra: true }, /extra/],
    ['a path outside', { attachments: ['../x'] }, /attachments/],
    ['one file twice', { attachments: ['notes/1.md', './notes/1.md'] }, /twice/],
    ['a file that is not there', { attachments: ['notes/none.md'] }, /does not exist/],
    ['a folder', { attachments: ['kept'] }, /directory/],
    ['a worker that the starter may not start', { worker: 'picky' }, /operators/],
  ])('%s', async (_title, more, reason) => {
    const { runId, requestId } = await delegating(toReviewer(more))
    const [call] = await desk.calls(runId, 1)
    expect([call?.result, requestId]).toEqual(['error', ''])
    expect(call?.text).toMatch(reason)
  })

  test('one that is already active above: a cycle ends before anybody is asked', async () => {
    const { childId } = await delegated(toReviewer({ worker: 'circle' }))
    await admitRun(desk.api, { runId: childId })
    desk.say({ calls: [toReviewer({ worker: 'scribe' }), toReviewer({ worker: 'circle' })] })
    await desk.turn(childId, 1)
    const calls = await desk.calls(childId, 1)
    expect(calls.map((call) => call.result)).toEqual(['error', 'error'])
    expect(calls[0]?.text).toContain('circle')
  })

  test('one whose requests could reach nobody', async () => {
    const config = deskConfig.replace('linus@example.com]', 'linus@example.com]')
    const empty = `${config}routing: [{ when: { worker: reviewer }, queue: nobody }]\n`
      .replace('queues:', 'queues:\n  nobody: { team: nobody }')
      .replace('teams:', 'teams:\n  nobody: { members: [] }')
    await desk.activate({
      'countersign.yaml': empty,
      'workers/reviewer.md': worker('reviewer', zones),
    })
    const { runId } = await delegating()
    await desk.activate(files)
    const [call] = await desk.calls(runId, 1)
    expect(call?.result).toBe('error')
    expect(call?.text).toContain('would reach nobody')
  })
})

describe('run modes', () => {
  test('strict denies a delegation; approve_all needs nobody, and both are inherited', async () => {
    const strict = await delegating(toReviewer(), 'strict')
    expect((await desk.calls(strict.runId, 1))[0]?.result).toBe('denied')
    const all = await delegating(toReviewer({ attachments: ['notes/1.md'] }), 'approve_all')
    const childId = waitedFor(await desk.execute(all.callId))
    expect(await admitRun(desk.api, { runId: childId })).toBe(true)
    expect((await row(childId)).mode).toBe('approve_all')
  })

  test('approve_all written into a child of a run without it: nothing of it executes', async () => {
    const { childId } = await delegated()
    await admitRun(desk.api, { runId: childId })
    await sql`update run set mode = 'approve_all' where id = ${childId}`.execute(desk.database.db)
    desk.say({ calls: [{ tool: 'write_file', input: { path: 'notes/x.md', content: 'x' } }] })
    await desk.perform(await desk.turn(childId, 1))
    const [call] = await desk.calls(childId, 1)
    expect(call?.result).toBe('error')
    expect(await desk.auditTypes(childId)).toContain('execution.refused')
    expect(desk.executed).toEqual([])
  })
})

test('a person behind the root is behind every request of its child, and a grant of the root holds in the child', async () => {
  const { childId } = await delegated()
  await admitRun(desk.api, { runId: childId })
  await desk.activate({ 'workers/reviewer.md': worker('reviewer', zones) })
  const aWrite = { tool: 'write_file', input: { path: 'notes/granted.md', content: 'x\n' } }
  desk.say({ calls: [aWrite] }, { calls: [aWrite] })
  const turn = await desk.turn(childId, 1)
  const [call] = await desk.calls(childId, 1)
  const mine = await refusal(desk.decide(desk.people.ada, call?.requestId ?? ''))
  expect(mine.code).toBe('not_eligible')
  await desk.decide(desk.people.grace, call?.requestId ?? '', { scope: 'run' })
  await desk.perform(turn)
  const grant = await rowOf(desk.database.db, 'approval_grant', {
    request_id: call?.requestId ?? '',
  })
  expect(grant.root_run_id).toBe((await row(childId)).root_run_id)
  await desk.turn(childId, 2)
  expect((await desk.calls(childId, 2))[0]?.verdict).toBe('preApproved')
  await desk.activate(files)
})

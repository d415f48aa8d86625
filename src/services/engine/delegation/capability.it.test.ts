import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Json } from '#domain/json/json.ts'
import { admitRun } from '../lifecycle/admit-run.ts'
import { desk, useDelegationDesk, delegated, worker, files } from './delegation.fixture.ts'

useDelegationDesk()

// Rules: product.md 23
describe('capability', () => {
  async function inChild(tool: string, input: Json) {
    const { childId } = await delegated()
    await admitRun(desk.api, { runId: childId })
    desk.say({ calls: [{ tool, input }] })
    await desk.perform(await desk.turn(childId, 1))
    const [call] = await desk.calls(childId, 1)
    return call
  }

  test.each<[string, string, Json, string]>([
    [
      'a file that the parent may only read',
      'write_file',
      { path: 'readme.md', content: 'x' },
      'error',
    ],
    [
      'a suffix that the parent may not write',
      'write_file',
      { path: 'notes/a.txt', content: 'x' },
      'error',
    ],
    [
      'what is blocked for the parent',
      'write_file',
      { path: 'kept/1.md', content: 'x' },
      'blocked',
    ],
    ['what both may write', 'write_file', { path: 'notes/new.md', content: 'x' }, 'output'],
    ['what both may read', 'read_file', { path: 'readme.md' }, 'output'],
  ])('of a child is never wider than its parent’s: %s', async (_title, tool, input, result) => {
    expect((await inChild(tool, input))?.result).toBe(result)
  })

  test('is judged at every call: a right that the parent loses, its child loses at once', async () => {
    const { childId } = await delegated()
    await admitRun(desk.api, { runId: childId })
    const aRead = { tool: 'read_file', input: { path: 'readme.md' } }
    desk.say({ calls: [aRead] }, { calls: [aRead] })
    await desk.perform(await desk.turn(childId, 1))
    const narrower = `workers: [reviewer]\nzones: [{ name: notes, root: ./notes, mode: ro }]`
    await desk.activate({ 'workers/scribe.md': worker('scribe', narrower) })
    await desk.perform(await desk.turn(childId, 2))
    await desk.activate(files)
    // In both turns the child gets its zones as its parent's zones limited them when it began.
    const prompts = desk.modelRequests.slice(-2).map(({ system }) => system)
    expect(prompts[0]).toContain('- Write and edit files in notes/ that end in .md')
    expect(prompts[0]).not.toMatch(/^- Write and edit files in the workspace$/m)
    expect(prompts[1]).toBe(prompts[0])
    expect((await desk.calls(childId, 1))[0]?.result).toBe('output')
    expect((await desk.calls(childId, 2))[0]?.result).toBe('error')
  })

  test('of a child whose parent was rewritten to another run is none: the signatures do not hold', async () => {
    const { childId } = await delegated()
    await admitRun(desk.api, { runId: childId })
    const other = await desk.start({ worker: 'reviewer' })
    await sql`update run set parent_run_id = ${other} where id = ${childId}`.execute(
      desk.database.db,
    )
    expect((await desk.turn(childId, 1)).kind).toBe('ended')
    expect(await desk.calls(childId, 1)).toEqual([])
    expect(desk.executed).toEqual([])
  })
})

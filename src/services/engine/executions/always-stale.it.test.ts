import { describe, expect, test } from 'vitest'
import type { Json } from '#domain/json/json.ts'
import { desk, executions, useExecutionDesk } from './executions.fixture.ts'

useExecutionDesk()

// Rules: product.md 14, 15
describe('a call without a request', () => {
  async function performed(
    call: { readonly tool: string; readonly input: Json },
    before: (callId: string) => Promise<void> = async () => undefined,
  ) {
    desk.say({ calls: [call] })
    const { runId, turn } = await desk.startTurn()
    const [asked] = await desk.calls(runId, 1)
    await before(asked?.id ?? '')
    await desk.perform(turn)
    const [done] = await desk.calls(runId, 1)
    return done
  }

  test('that edits a file which does not exist ends with an error', async () => {
    const edits = [{ find: 'a', replace: 'b' }]
    expect(
      await performed({ tool: 'edit_file', input: { path: 'scratch/none.md', edits } }),
    ).toMatchObject({
      verdict: 'preApproved',
      result: 'error',
      text: expect.stringContaining('does not exist'),
    })
  })

  test('whose file something else changes before each attempt ends with an error, and changes nothing', async () => {
    const path = 'scratch/rival.md'
    let changes = 0
    desk.beforeExecute = async () => {
      changes += 1
      await desk.write(path, `rival ${changes}\n`)
    }
    const done = await performed({ tool: 'write_file', input: { path, content: 'mine\n' } })
    expect(done).toMatchObject({
      result: 'error',
      text: expect.stringContaining('before each of 10 attempts'),
    })
    expect(await executions(done?.id ?? '')).toHaveLength(10)
    expect(await desk.read(path)).toBe('rival 10\n')
  })

  test('is attempted again after attempts that ended for another reason, and one that was stale', async () => {
    const path = 'scratch/once.md'
    const lapsed = Array.from({ length: 9 }, (_, index) => index + 1)
    let changes = 0
    desk.beforeExecute = async () => {
      if ((changes += 1) === 1) await desk.write(path, 'rival\n')
    }
    const call = { tool: 'write_file', input: { path, content: 'mine\n' } }
    const done = await performed(call, async (callId) => {
      const row = { call_id: callId, state: 'refused', reason: 'lapsed', epoch: 1 } as const
      await desk.database.db
        .insertInto('execution')
        .values(lapsed.map((attempt) => ({ ...row, attempt })))
        .execute()
    })
    expect(done).toMatchObject({ result: 'output' })
    expect((await executions(done?.id ?? '')).slice(9)).toEqual([
      { attempt: 10, state: 'refused', reason: 'stale' },
      { attempt: 11, state: 'succeeded', reason: null },
    ])
    expect(await desk.read(path)).toBe('mine\n')
  })
})

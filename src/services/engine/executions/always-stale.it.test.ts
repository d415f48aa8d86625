import { describe, expect, test } from 'vitest'
import type { Json } from '#domain/json/json.ts'
import { desk, executions, useExecutionDesk } from './executions.fixture.ts'

useExecutionDesk()

// Rules: product.md 14, 15
describe('a call without a request', () => {
  async function performed(call: { readonly tool: string; readonly input: Json }) {
    desk.say({ calls: [call] })
    const runId = await desk.start()
    await desk.perform(await desk.turn(runId, 1))
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
    expect(done).toMatchObject({ result: 'error', text: expect.stringContaining('in 10 attempts') })
    expect(await executions(done?.id ?? '')).toHaveLength(10)
    expect(await desk.read(path)).toBe('rival 10\n')
  })
})

import { describe, expect, test } from 'vitest'
import { deskWorker } from '#test/harness/fixtures/agent-desk.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import type { Json } from '#domain/json/json.ts'
import { desk, executions, useExecutionDesk } from './executions.fixture.ts'

useExecutionDesk()

const path = 'notes/same.md'
const write = (content: string) => ({ tool: 'write_file', input: { path, content } })

async function taken(...calls: readonly { readonly tool: string; readonly input: Json }[]) {
  desk.say({ calls })
  const { runId, turn } = await desk.startTurn()
  return { runId, turn, calls: await desk.calls(runId, 1) }
}

/** The rule that decided, as it is stored. */
async function ruleOf(callId: string): Promise<string | undefined> {
  const row = await rowOf(desk.database.db, 'tool_call', { id: callId })
  return row.rule?.id
}

// Rules: product.md 34
describe('a call that would change nothing', () => {
  test.each([
    ['a write of the same text', write('same\n')],
    [
      'a write of the same bytes in base64',
      { tool: 'write_file', input: { path, content: 'c2FtZQo=', encoding: 'base64' } },
    ],
    [
      'an edit that undoes itself',
      {
        tool: 'edit_file',
        input: {
          path,
          edits: [
            { find: 'same', replace: 'other' },
            { find: 'other', replace: 'same' },
          ],
        },
      },
    ],
  ])('is answered "already so" and asks nobody, and nothing is written: %s', async (_, call) => {
    await desk.write(path, 'same\n')
    const { runId, turn, calls } = await taken(call)
    expect(calls).toMatchObject([{ verdict: 'preApproved', requestId: '' }])
    const before = desk.executed.length
    await desk.perform(turn)
    const [done] = await desk.calls(runId, 1)
    expect(done).toMatchObject({ verdict: 'preApproved', result: 'output' })
    expect(done?.text).toMatch(/^already so: notes\/same\.md holds exactly these 5 bytes/)
    expect(await ruleOf(done?.id ?? '')).toBe('unchanged')
    expect(desk.executed).toHaveLength(before)
  })

  test('asks when the file has changed before its turn, and writes nothing without an approval', async () => {
    await desk.write(path, 'same\n')
    const { runId, calls } = await taken(write('same\n'))
    await desk.write(path, 'changed\n')
    const [call] = calls
    expect(await desk.execute(call?.id ?? '')).toMatchObject({ kind: 'wait' })
    expect((await desk.calls(runId, 1))[0]).toMatchObject({ verdict: 'ask', result: null })
    expect(await desk.read(path)).toBe('changed\n')
    expect(await executions(call?.id ?? '')).toEqual([])
  })

  test('asks when an earlier call of the turn changes the file', async () => {
    await desk.write(path, 'same\n')
    const { calls } = await taken(write('other\n'), write('other\n'), write('same\n'))
    expect(calls.map((call) => call.verdict)).toEqual(['ask', 'ask', 'ask'])
  })

  test('gets no hint about a file whose reading asks: its contents cannot be guessed by writing', async () => {
    await desk.write(path, 'same\n')
    await desk.activate({
      'workers/scribe.md': deskWorker.replace(
        'read: preApproved, write: ask',
        'read: ask, write: ask',
      ),
    })
    const { calls } = await taken(write('same\n'))
    await desk.activate({ 'workers/scribe.md': deskWorker })
    expect(calls).toMatchObject([{ verdict: 'ask' }])
  })

  test('is blocked where writing is blocked, and an error where it could not run', async () => {
    await desk.write(path, 'same\n')
    await desk.write('kept.md', 'same\n')
    await desk.activate({ 'workers/scribe.md': deskWorker.replace('write: ask', 'write: blocked') })
    const { calls } = await taken(write('same\n'), {
      tool: 'write_file',
      input: { path: 'kept.md', content: 'same\n' },
    })
    await desk.activate({ 'workers/scribe.md': deskWorker })
    expect(calls.map((call) => call.verdict)).toEqual(['blocked', 'error'])
  })

  test('is neither a move, which removes the old name, nor a deletion of a file that does not exist', async () => {
    await desk.write('scratch/one.md', 'same\n')
    await desk.write('scratch/two.md', 'same\n')
    const { runId, turn } = await taken(
      { tool: 'move_file', input: { from: 'scratch/one.md', to: 'scratch/two.md' } },
      { tool: 'delete_file', input: { path: 'scratch/absent.md' } },
    )
    await desk.perform(turn)
    const [moved, deleted] = await desk.calls(runId, 1)
    expect(moved?.text).toMatch(/^Moved scratch\/one\.md/)
    expect(deleted?.result).toBe('error')
  })
})

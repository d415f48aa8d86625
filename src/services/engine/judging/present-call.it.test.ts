import { beforeEach, describe, expect, test } from 'vitest'
import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { getRequest } from '../../requests/detail/get-request.ts'
import { writeCall } from '#test/harness/fixtures/runs/file-calls.ts'

let presented: string[]

const desk = disposeAfterTests(await openAgentDesk())
await desk.write('notes/1.md', 'one\n')

beforeEach(() => {
  presented = []
  desk.beforePresent = async (tool) => void presented.push(tool)
})

// Rules: product.md 27
describe('the presentation of a call', () => {
  test('is built for a call that asks, and for none that is pre-approved or blocked', async () => {
    const read = { tool: 'read_file', input: { path: 'notes/1.md' } }
    const removal = { tool: 'delete_file', input: { path: 'notes/1.md' } }
    desk.say({ calls: [read, writeCall('scratch/1.txt'), removal, writeCall('notes/2.md')] })
    const { runId } = await desk.startTurn()
    const calls = await desk.calls(runId, 1)
    expect(calls.map((call) => call.verdict)).toEqual([
      'preApproved',
      'preApproved',
      'blocked',
      'ask',
    ])
    expect(presented).toEqual(['write_file'])
  })

  test('decides in an explanation too: a call that cannot be shown asks nobody, and nothing is stored', async () => {
    const explain = async (find: string) => {
      const input = { path: 'notes/1.md', edits: [{ find, replace: 'two' }] }
      const call = { worker: 'scribe', tool: 'edit_file', input }
      return desk.api.judgeRemotely({ ...call, present: false })
    }
    const reason = 'Edit 1 of 1: the text to find does not occur in the file as it then is.'
    expect(await explain('never')).toMatchObject({
      presented: null,
      judgement: { verdict: 'error', rule: null, routing: null, reason },
    })
    expect(await explain('one')).toMatchObject({ presented: null, judgement: { verdict: 'ask' } })
  })

  test('is not built again for a call that a grant covers', async () => {
    desk.say({ calls: [writeCall('notes/again.md')] }, { calls: [writeCall('notes/again.md')] })
    const { runId, turn } = await desk.startTurn()
    const [call] = await desk.calls(runId, 1)
    await desk.decide(desk.people.grace, call?.requestId ?? '', { scope: 'run' })
    await desk.perform(turn)
    await desk.perform(await desk.turn(runId, 2))
    expect(await desk.calls(runId, 2)).toMatchObject([{ verdict: 'preApproved', result: 'output' }])
    expect(presented).toEqual(['write_file'])
  })

  test('is the raw arguments with a warning when building it fails', async () => {
    desk.beforePresent = async () => {
      throw new Error('the presentation broke')
    }
    const runId = await desk.start()
    const call = await proposeCall(desk, runId, 1, writeCall('notes/raw.md'))
    const { caller } = desk.people.grace
    const request = await getRequest(desk.api, caller, { request: call.requestId })
    const { presentation } = request
    expect(presentation.type).toBe('structured')
    expect(presentation.content).toContain('notes/raw.md')
    expect(presentation.warnings).toEqual([expect.stringContaining('could not be built')])
  })
})

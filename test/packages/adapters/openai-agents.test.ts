import { Agent, Runner, RunState, tool, Usage, type Model } from '@openai/agents-core'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { z } from 'zod'
import { resolveInterruptions } from '@countersign/openai-agents'
import { openApprovalDesk } from './approval-desk.ts'

const desk = disposeAfterTests(await openApprovalDesk())

type Called = readonly [id: string, tool: string, what: string]
const ran: unknown[] = []

/** The program of a team in one process: an agent whose model makes these calls, then is done. */
function startProcess(calls: readonly Called[]) {
  const inputs: unknown[] = []
  const model: Model = {
    async getResponse({ input }) {
      inputs.push(input)
      const isFirst = calls.length > 0 && !JSON.stringify(input).includes('function_call_result')
      return {
        usage: new Usage(),
        output: isFirst
          ? calls.map(([callId, name, what]) => ({
              type: 'function_call' as const,
              callId,
              name,
              arguments: JSON.stringify({ what }),
              status: 'completed' as const,
            }))
          : [
              {
                type: 'message' as const,
                role: 'assistant' as const,
                status: 'completed' as const,
                content: [{ type: 'output_text' as const, text: 'Done.' }],
              },
            ],
      }
    },
    getStreamedResponse() {
      throw new Error('not streamed')
    },
  }
  const tools = ['deploy', 'erase', 'break'].map((name) =>
    tool({
      name,
      description: name,
      parameters: z.object({ what: z.string() }),
      needsApproval: true,
      execute: async ({ what }) => {
        ran.push([name, what])
        if (name === 'break') throw new Error('it broke')
        return `${name} of ${what}`
      },
    }),
  )
  const agent = new Agent({ name: 'ops', model, tools })
  const runner = new Runner({ tracingDisabled: true })
  return { agent, runner, inputs: () => JSON.stringify(inputs) }
}

/** A run until it is interrupted, as it is stored. */
async function interrupted(calls: readonly Called[]): Promise<string> {
  const { agent, runner } = startProcess(calls)
  const { state } = await runner.run(agent, 'Go.')
  const waiting = await resolveInterruptions(state, desk.client)
  expect(waiting).toHaveLength(calls.length)
  return state.toString()
}

test('a run waits as text, and goes on in another process with each decision at its call', async () => {
  const stored = await interrupted([
    ['a1', 'erase', 'customers'],
    ['a2', 'deploy', 'shop'],
    ['a3', 'break', 'it'],
  ])
  const deploy = await desk.decide('deploy', 'approve')
  expect(deploy).toMatchObject({ externalId: 'openai-agents:a2', input: { what: 'shop' } })
  const { agent, inputs, runner } = startProcess([])
  const state = await RunState.fromString(agent, stored)
  expect(await resolveInterruptions(state, desk.client)).toHaveLength(2)
  const erase = await desk.decide('erase', 'deny')
  const broken = await desk.decide('break', 'approve')
  expect(await resolveInterruptions(state, desk.client)).toEqual([])
  // Asked twice, nothing is decided anew.
  expect(await resolveInterruptions(state, desk.client)).toEqual([])
  expect((await runner.run(agent, state)).finalOutput).toBe('Done.')
  expect(ran.splice(0)).toEqual([
    ['deploy', 'shop'],
    ['break', 'it'],
  ])
  expect(inputs()).toContain('Countersign: not run. Grace denied this: looked at it')
  expect(inputs()).toContain('deploy of shop')
  await expect.poll(() => desk.stateOf(deploy.id)).toMatchObject({ execution: 'succeeded' })
  await expect.poll(() => desk.stateOf(broken.id)).toMatchObject({ execution: 'failed' })
  expect(await desk.stateOf(erase.id)).toEqual({ state: 'denied', execution: 'not_started' })
})

test('a stored run that goes on twice makes its call once', async () => {
  const stored = await interrupted([['b1', 'deploy', 'blog']])
  await desk.decide('deploy', 'approve')
  for (const expected of [[['deploy', 'blog']], []]) {
    const { agent, inputs, runner } = startProcess([])
    const state = await RunState.fromString(agent, stored)
    expect(await resolveInterruptions(state, desk.client)).toEqual([])
    await runner.run(agent, state)
    expect(ran.splice(0)).toEqual(expected)
    if (expected.length === 0) expect(inputs()).toContain('permit of this call was taken before')
  }
})

test('a stored run with other arguments than those that were asked about runs nothing', async () => {
  const stored = await interrupted([['c1', 'deploy', 'wiki']])
  await desk.decide('deploy', 'approve')
  const { agent, inputs, runner } = startProcess([])
  const state = await RunState.fromString(agent, stored.replaceAll('wiki', 'bank'))
  expect(await resolveInterruptions(state, desk.client)).toEqual([])
  await runner.run(agent, state)
  expect(ran).toEqual([])
  expect(inputs()).toContain('Countersign: not run.')
})

test('while the service is away the run stays as it is', async () => {
  const { agent, runner } = startProcess([['d1', 'deploy', 'later']])
  const { state } = await runner.run(agent, 'Go.')
  const away = Object.assign(new Error('away'), { code: 'unavailable' })
  const client = { ...desk.client, ask: () => Promise.reject(away) }
  await expect(resolveInterruptions(state, client)).rejects.toThrow('away')
  expect(await resolveInterruptions(state, desk.client)).toMatchObject([{ state: 'pending' }])
  expect(state.getInterruptions()).toHaveLength(1)
  expect(ran).toEqual([])
})

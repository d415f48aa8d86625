import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openApprovalDesk, type ApprovalDesk } from '../packages/adapters/approval-desk.ts'
import { openPackedProject, runProgram } from '../packages/packed.ts'

const frameworks = ['@mastra/core@1.71.0', '@mastra/libsql@1.23.1', 'zod@4.4.3']
const project = await openPackedProject(['client', 'mastra'])

/** What is not there to run these with; `null`: all is. Mastra is too large to be among ours. */
const missing = await runProgram('npm', ['install', '--no-audit', '--no-fund', ...frameworks], {
  cwd: project.folder,
})
  .then(() => null)
  .catch((error: Error) => error.message)
if (missing !== null) console.log(`The adapter for Mastra is skipped: ${missing}`)

/**
 * One process of a program: it starts a run of the agent, or goes on with a call from what Mastra
 * stored. It prints what ran, then how the run stands.
 */
const program = `
import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core'
import { createTool } from '@mastra/core/tools'
import { LibSQLStore } from '@mastra/libsql'
import { createClient } from '@countersign/client'
import { countersignTool } from '@countersign/mastra'
import { z } from 'zod'

const client = createClient({ url: process.env.COUNTERSIGN_URL, apiKey: process.env.COUNTERSIGN_API_KEY })
const [tool, action, runId, toolCallId] = process.argv.slice(2)
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
const model = {
  specificationVersion: 'v2', provider: 'test', modelId: 'scripted', supportedUrls: {},
  doStream: async () => { throw new Error('the agent does not stream') },
  doGenerate: async ({ prompt }) => {
    const results = prompt.filter(({ role }) => role === 'tool').flatMap(({ content }) => content)
    return results.length === 0
      ? { content: [{ type: 'tool-call', toolCallId: 'm-' + tool, toolName: tool, input: JSON.stringify({ what: tool }) }], finishReason: 'tool-calls', usage, warnings: [] }
      : { content: [{ type: 'text', text: JSON.stringify(results.map(({ output }) => output)) }], finishReason: 'stop', usage, warnings: [] }
  },
}
const toolOf = (id) => countersignTool(client, createTool({
  id, description: id, inputSchema: z.object({ what: z.string() }), outputSchema: z.object({ done: z.string() }),
  execute: async ({ what }) => { console.log('ran ' + id + ' ' + what); return { done: what } },
}))
const ops = new Agent({ id: 'ops', name: 'ops', instructions: 'go', model, tools: { release: toolOf('release'), remove: toolOf('remove') } })
const mastra = new Mastra({ agents: { ops }, storage: new LibSQLStore({ id: 'store', url: 'file:' + process.cwd() + '/' + tool + '.db' }), logger: false })
const agent = mastra.getAgent('ops')
const result = action === 'start' ? await agent.generate('go') : await agent.resumeGenerate({}, { runId, toolCallId })
console.log(JSON.stringify({ runId: result.runId, reason: result.finishReason, payload: result.suspendPayload ?? null, text: result.text }))
process.exit(0)
`

interface Outcome {
  readonly ran: readonly string[]
  readonly runId: string
  readonly reason: string
  readonly payload: { readonly toolCallId: string; readonly suspendPayload: object } | null
  readonly text: string
}

describe.skipIf(missing !== null)('an agent of Mastra', () => {
  let desk: ApprovalDesk
  let file: string
  beforeAll(async () => {
    desk = await openApprovalDesk()
    file = await project.write('agent.mjs', program)
  })
  afterAll(async () => {
    await desk?.[Symbol.asyncDispose]()
    await project[Symbol.asyncDispose]()
  })

  async function run(tool: string, ...args: string[]): Promise<Outcome> {
    const env = {
      ...process.env,
      COUNTERSIGN_URL: desk.url,
      COUNTERSIGN_API_KEY: desk.apiKey,
      MASTRA_TELEMETRY_DISABLED: '1',
    }
    const options = { cwd: project.folder, env }
    const { stdout } = await runProgram(process.execPath, [file, tool, ...args], options)
    const lines = stdout.trim().split('\n')
    return { ...JSON.parse(lines.at(-1) ?? ''), ran: lines.slice(0, -1) }
  }

  test('waits in its storage, runs an approved call once, in another process, and hears of a denial', async () => {
    const started = await run('release', 'start')
    expect(started).toMatchObject({ ran: [], reason: 'suspended' })
    const again = await run('release', 'resume', started.runId, 'm-release')
    expect(again).toMatchObject({ ran: [], reason: 'suspended' })
    const allowed = await desk.decide('release', 'approve')
    expect(allowed).toMatchObject({ externalId: 'mastra:m-release', input: { what: 'release' } })
    const done = await run('release', 'resume', started.runId, 'm-release')
    expect(done.ran).toEqual(['ran release release'])
    expect(done.text).toContain('"done":"release"')
    expect(await desk.stateOf(allowed.id)).toEqual({ state: 'approved', execution: 'succeeded' })

    const other = await run('remove', 'start')
    const refused = await desk.decide('remove', 'deny')
    const result = await run('remove', 'resume', other.runId, 'm-remove')
    expect(result.ran).toEqual([])
    expect(result.text).toContain('Countersign: not run. Grace denied this: looked at it')
    expect(await desk.stateOf(refused.id)).toEqual({ state: 'denied', execution: 'not_started' })
  })
})

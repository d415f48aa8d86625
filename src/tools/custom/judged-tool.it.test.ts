import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Judgement } from '#domain/deciding/judgement.ts'
import { presentCall } from '#services/engine/judging/present-call.ts'
import { judge } from '#policy/judge/judge.ts'
import { registryOf } from '../registry.ts'
import { workspaceWith } from '../workspace.fixture.ts'
import { customTool } from './custom-tool.ts'
import { policyOf, projectWith, toolFile } from './project.fixture.ts'

const hang = 'new Promise<never>(() => setInterval(() => undefined, 1000))'
const tools = {
  asks_later: `approval: async () => { await null; return 'ask' as const },`,
  free_later: `approval: async () => false,`,
  never: `approval: (input) => ({ blocked: 'not ' + input.text }),`,
  throws: `approval: () => { throw new Error('cannot tell') },`,
  rejects: `approval: async () => { throw new Error('cannot tell later') },`,
  hangs: `approval: () => ${hang},`,
  nonsense: `approval: () => 1 as never,`,
  nothing: `approval: () => undefined as never,`,
  empty_block: `approval: () => ({ blocked: 3 }) as never,`,
  silent: '',
  once_only: `scopes: ['once'],`,
  hidden: `describe: () => ${hang},`,
  hidden_too: `describe: () => 'A title', present: () => ${hang},`,
  broken: `present: () => { throw new Error('no picture') },`,
}

let project: Awaited<ReturnType<typeof projectWith>>
let place: Awaited<ReturnType<typeof workspaceWith>>

beforeAll(async () => {
  project = await projectWith(
    Object.fromEntries(
      Object.entries(tools).map(([name, more]) => [
        `tools/${name}.ts`,
        toolFile(name, 'return 1', more),
      ]),
    ),
  )
  place = await workspaceWith({})
})
afterAll(async () => {
  await project[Symbol.asyncDispose]()
  place[Symbol.dispose]()
})

async function toolNamed(name: string) {
  const { tools: loaded } = await project.toolProcess.describe()
  const description = loaded.find((one) => one.name === name)
  if (description === undefined) throw new Error(`${name} was not loaded`)
  return customTool(description, project.toolProcess, { quickMs: 1500, executeMs: 30_000 })
}

async function judged(name: string): Promise<Judgement> {
  return judge({
    policy: policyOf(`  ${name}: {}`),
    worker: 'w',
    tool: name,
    input: { text: 'now' },
    runMode: 'prompt',
    registry: registryOf([await toolNamed(name)]),
    workspace: place.workspace,
    projectDir: project.projectDir,
    hasDuplicateId: false,
    byPerson: false,
    findGrant: async () => null,
  })
}

// Rules: product.md 3
describe('the verdict that a custom tool declares', () => {
  it.each([
    ['asks_later', 'ask', /tool asks_later/],
    ['free_later', 'preApproved', /tool free_later/],
    ['never', 'blocked', /not now/],
    ['throws', 'ask', /its approval function failed \(Error: cannot tell\)/],
    ['rejects', 'ask', /its approval function failed \(Error: cannot tell later\)/],
    ['hangs', 'ask', /its approval function failed \(It did not answer in 1\.5 s/],
    ['nonsense', 'ask', /failed \(TypeError: The approval function returned neither/],
    ['nothing', 'ask', /failed \(TypeError: The approval function returned neither/],
    ['empty_block', 'ask', /failed \(TypeError: The approval function returned neither/],
    ['silent', 'ask', /declares no approval/],
  ])('of %s is %s, with the reason', async (name, verdict, reason) => {
    expect(await judged(name)).toMatchObject({ verdict, reason: expect.stringMatching(reason) })
  })

  it('limits the scopes that routing can offer', async () => {
    expect((await judged('once_only')).routing?.scopes).toEqual(['once'])
    expect((await judged('silent')).routing?.scopes).toEqual(['once', 'run'])
  })
})

// Rules: product.md 27
describe('the presentation of a custom tool', () => {
  it.each([
    ['hidden', /did not answer in 1\.5 s/],
    ['hidden_too', /did not answer in 1\.5 s/],
    ['broken', /present failed: Error: no picture/],
  ])('for %s is the raw arguments with a warning, if it cannot be built', async (name, warning) => {
    const context = { workspace: place.workspace, signal: new AbortController().signal }
    const call = await presentCall(await toolNamed(name), await judged(name), context)
    expect(call).toMatchObject({
      ok: true,
      presented: {
        presentation: {
          type: 'structured',
          content: expect.stringContaining('"now"'),
          warnings: [expect.stringMatching(warning)],
        },
      },
    })
  })
})

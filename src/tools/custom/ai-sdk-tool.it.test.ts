import { describe, expect, it } from 'vitest'
import { onePixel } from '#test/harness/fixtures/result-with-files.ts'
import { execute, problemsOf, workspaceWith } from '../workspace.fixture.ts'
import { judge } from '#policy/judge/judge.ts'
import { registryOf } from '../registry.ts'
import { policyOf, projectWith, toolOf } from './project.fixture.ts'

describe('a plain AI SDK tool', () => {
  const file = `import { tool, jsonSchema } from 'ai'
import { z } from 'zod'
const inputSchema = z.object({ a: z.number() })
const execute = async ({ a }: { a: number }, { abortSignal }: { abortSignal?: AbortSignal }) => ({ twice: 2 * a, signal: abortSignal !== undefined })
export default tool({ description: 'plain', inputSchema, execute })
export const asks = tool({ inputSchema, needsApproval: true, execute })
export const free = tool({ inputSchema, needsApproval: false, execute })
export const depends = tool({ inputSchema, needsApproval: async ({ a }) => a > 10, execute })
export const throws = tool({ inputSchema, needsApproval: () => { throw new Error('cannot tell') }, execute })
export const odd = tool({ inputSchema, needsApproval: (async () => 'preApproved') as never, execute })
export const nothing = tool({ inputSchema, needsApproval: (() => undefined) as never, execute })
export const one = tool({ inputSchema, needsApproval: 1 as never, execute })
export const talks = tool({ inputSchema, needsApproval: (input, options) => options.messages.length > 3, execute })
export const exits = tool({ inputSchema, needsApproval: () => process.exit(3), execute })
export const child = tool({ inputSchema, needsApproval: ({ a }) => process.ppid !== a, execute })
export const byJson = tool({ inputSchema: jsonSchema<{ a: number }>({ type: 'object', properties: { a: { type: 'number' } }, required: ['a'], additionalProperties: false }), execute })
export const streams = tool({ inputSchema, execute: async function* ({ a }) { yield 'part'; yield a } })
export const client = tool({ inputSchema })
`
  const approving = `import { tool } from 'ai'
import { z } from 'zod'
const shape = { inputSchema: z.object({ a: z.number() }), needsApproval: false, execute: async () => 1 }
export const one = tool(shape), two = tool(shape), three = tool(shape), four = tool(shape), five = tool(shape), six = tool(shape)
export const toolApproval = {
  one: 'user-approval', two: 'approved', three: { type: 'denied', reason: 'never' }, four: 'not-applicable',
  five: ({ a }: { a: number }) => (a > 1 ? 'user-approval' : 'approved'),
}
`

  const showing = `import { tool } from 'ai'
import { z } from 'zod'
const png = '${onePixel.toString('base64')}'
const shape = { inputSchema: z.object({ a: z.number() }), execute: async ({ a }: { a: number }) => ({ taken: a }) }
export const pictures = tool({ ...shape, toModelOutput: ({ toolCallId, input, output }) => ({ type: 'content', value: [
  { type: 'text', text: 'of ' + output.taken + (input.a === 2 ? ', by ' + toolCallId : '') },
  { type: 'file', mediaType: 'image', data: { type: 'data', data: Buffer.from(png, 'base64') } },
  { type: 'image-data', mediaType: 'image/png', data: png },
  { type: 'file', mediaType: 'image/*', data: { type: 'data', data: Buffer.from('<svg/') } },
  { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('http://127.0.0.1:1/') } },
] }) })
export const words = tool({ ...shape, toModelOutput: () => ({ type: 'text', value: 'two' }) })
export const json = tool({ ...shape, toModelOutput: async ({ output }) => ({ type: 'json', value: { only: output.taken } }) })
export const fails = tool({ ...shape, toModelOutput: () => ({ type: 'error-text', value: 'no such luck' }) })
export const throws = tool({ ...shape, toModelOutput: () => { throw new Error('not today') } })
export const nonsense = tool({ ...shape, toModelOutput: () => 7 as never })
export const huge = tool({ ...shape, toModelOutput: () => ({ type: 'text', value: 'x'.repeat(12 * 1024 * 1024) }) })
`

  it('is used unchanged, named by file or export, with its own schema', async () => {
    await using project = await projectWith({ 'tools/plain.ts': file })
    using place = await workspaceWith({})
    const { tools, problems } = await project.toolProcess.describe()
    expect(problems).toEqual([])
    expect(tools.map((tool) => tool.name).toSorted()).toEqual(
      [
        'asks',
        'byJson',
        'child',
        'depends',
        'exits',
        'free',
        'nothing',
        'odd',
        'one',
        'plain',
        'streams',
        'talks',
        'throws',
      ].toSorted(),
    )
    for (const name of ['plain', 'byJson']) {
      const tool = await toolOf(project.toolProcess, name)
      expect(await problemsOf(tool, { a: 'x' })).toBe('a: must be a number')
      await problemsOf(tool, { a: 1, b: 2 })
      expect((await execute(tool, place.workspace, { a: 2 })).output).toEqual({
        twice: 4,
        signal: true,
      })
    }
    const streams = await toolOf(project.toolProcess, 'streams')
    expect((await execute(streams, place.workspace, { a: 2 })).output).toBe(2)
  })

  // Rules: product.md 3, 44
  it('asks as its needsApproval says, a function too; without it, it declares nothing', async () => {
    await using project = await projectWith({ 'tools/plain.ts': file })
    const of = async (name: string, a: number) =>
      (await toolOf(project.toolProcess, name)).approval({ a })
    expect(await of('plain', 1)).toBeNull()
    expect(await of('asks', 1)).toBe('ask')
    expect(await of('free', 1)).toBe('preApproved')
    expect([await of('depends', 11), await of('depends', 1)]).toEqual(['ask', 'preApproved'])
    // The function runs in a child process of the Temporal worker, here of the test.
    expect(await of('child', process.pid)).toBe('preApproved')
  })

  // Rules: product.md 44
  it('asks, with the reason, where needsApproval gives no boolean or ends its process', async () => {
    await using project = await projectWith({ 'tools/plain.ts': file })
    using place = await workspaceWith({})
    for (const [name, reason] of [
      ['throws', /cannot tell/],
      ['exits', /its approval function failed \(.*exit/],
      ['odd', /needsApproval is not a boolean/],
      ['nothing', /needsApproval is not a boolean/],
      ['one', /needsApproval is not a boolean/],
      ['talks', /there is no conversation to decide by/],
    ] as const) {
      const judged = await judge({
        policy: policyOf(`  ${name}: {}`),
        worker: 'w',
        tool: name,
        input: { a: 1 },
        runMode: 'prompt',
        registry: registryOf([await toolOf(project.toolProcess, name)]),
        workspace: place.workspace,
        projectDir: project.projectDir,
        hasDuplicateId: false,
        byPerson: false,
        findGrant: async () => null,
      })
      expect([name, judged.verdict]).toEqual([name, 'ask'])
      expect(judged.reason).toMatch(reason)
    }
  })

  it('asks as the file’s toolApproval says, where that covers the tool', async () => {
    await using project = await projectWith({ 'tools/approving.ts': approving })
    const of = async (name: string, a = 1) =>
      (await toolOf(project.toolProcess, name)).approval({ a })
    expect(await of('one')).toBe('ask')
    expect(await of('two')).toBe('preApproved')
    expect(await of('three')).toEqual({ blocked: 'never' })
    expect(await of('four')).toBe('ask')
    expect([await of('five', 2), await of('five', 1)]).toEqual(['ask', 'preApproved'])
    expect(await of('six')).toBe('preApproved')
  })

  it('gives the model the result as its toModelOutput formats it: words, pictures and files, each named', async () => {
    await using project = await projectWith({ 'tools/shows.ts': showing })
    using place = await workspaceWith({})
    const resultOf = async (name: string) =>
      execute(await toolOf(project.toolProcess, name), place.workspace, { a: 2 })
    const { type, output, text, files } = await resultOf('pictures')
    expect([type, output]).toEqual(['output', { taken: 2 }])
    expect(text.split('\n')).toEqual([
      'of 2, by call-1:1',
      expect.stringMatching(/^\[image: image\/png, 70 bytes, sha256:[0-9a-f]{64}\]$/),
      expect.stringMatching(/^\[image: image\/png, 70 bytes, /),
      expect.stringMatching(/^\[file: application\/octet-stream, 5 bytes, /),
      '[file that is not given]',
    ])
    expect(files?.map(({ mediaType, bytes }) => [mediaType, bytes.length])).toEqual([
      ['image/png', 70],
      ['image/png', 70],
      ['application/octet-stream', 5],
    ])
    expect(await resultOf('words')).toEqual({ type: 'output', output: { taken: 2 }, text: 'two' })
    expect(await resultOf('json')).toMatchObject({ type: 'output', text: '{"only":2}' })
    expect(await resultOf('fails')).toMatchObject({ type: 'error', text: 'no such luck' })
  })

  it.each([
    ['throws', 'Error: not today'],
    ['nonsense', 'it is not a tool output of the AI SDK'],
    ['huge', 'with the result it has 12582'],
  ])(
    'whose toModelOutput %s has its result passed on unchanged, with a note',
    async (name, why) => {
      await using project = await projectWith({ 'tools/shows.ts': showing })
      using place = await workspaceWith({})
      const tool = await toolOf(project.toolProcess, name)
      const { type, output, text } = await execute(tool, place.workspace, { a: 2 })
      expect([type, output]).toEqual(['output', { taken: 2 }])
      expect(text.split('\n')).toEqual([
        '{"taken":2}',
        expect.stringContaining(
          `[toModelOutput failed: ${name === 'nonsense' ? 'TypeError: ' : ''}${why}`,
        ),
      ])
    },
  )
})

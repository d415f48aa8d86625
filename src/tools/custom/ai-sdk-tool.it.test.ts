import { describe, expect, it } from 'vitest'
import { execute, problemsOf, workspaceWith } from '../workspace.fixture.ts'
import { projectWith, toolOf } from './project.fixture.ts'

describe('a plain AI SDK tool', () => {
  const file = `import { tool, jsonSchema } from 'ai'
import { z } from 'zod'
const inputSchema = z.object({ a: z.number() })
const execute = async ({ a }: { a: number }, { abortSignal }: { abortSignal?: AbortSignal }) => ({ twice: 2 * a, signal: abortSignal !== undefined })
export default tool({ description: 'plain', inputSchema, execute })
export const asks = tool({ inputSchema, needsApproval: true, execute })
export const free = tool({ inputSchema, needsApproval: false, execute })
export const depends = tool({ inputSchema, needsApproval: async ({ a }) => a > 10, execute })
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

  it('is taken as it is, named by file or export, with its own schema', async () => {
    await using project = await projectWith({ 'tools/plain.ts': file })
    using place = await workspaceWith({})
    const { tools, problems } = await project.toolProcess.describe()
    expect(problems).toEqual([])
    expect(tools.map((tool) => tool.name).toSorted()).toEqual(
      ['asks', 'byJson', 'depends', 'free', 'plain', 'streams'].toSorted(),
    )
    for (const name of ['plain', 'byJson']) {
      const tool = await toolOf(project.toolProcess, name)
      await problemsOf(tool, { a: 'x' })
      await problemsOf(tool, { a: 1, b: 2 })
      expect((await execute(tool, place.workspace, { a: 2 })).output).toEqual({
        twice: 4,
        signal: true,
      })
    }
    const streams = await toolOf(project.toolProcess, 'streams')
    expect((await execute(streams, place.workspace, { a: 2 })).output).toBe(2)
  })

  // Rules: product.md 3
  it('asks where needsApproval is true or a function; without it, it declares nothing', async () => {
    await using project = await projectWith({ 'tools/plain.ts': file })
    const of = async (name: string, a: number) =>
      (await toolOf(project.toolProcess, name)).approval({ a })
    expect(await of('plain', 1)).toBeNull()
    expect(await of('asks', 1)).toBe('ask')
    expect(await of('free', 1)).toBe('preApproved')
    expect([await of('depends', 11), await of('depends', 1)]).toEqual(['ask', 'ask'])
  })

  it('asks as the file’s toolApproval says, where it speaks of the tool', async () => {
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
})

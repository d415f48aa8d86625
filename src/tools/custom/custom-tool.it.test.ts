import { describe, expect, it } from 'vitest'
import type { Policy, WorkerDefinition } from '../../policy/policy.ts'
import { parseProject } from '../../policy/project/parse-project.ts'
import type { Tool } from '../../domain/tool.ts'
import { buildRegistry } from '../registry.ts'
import { execute, parsed, present, problemsOf, workspaceWith } from '../workspace.fixture.ts'
import { loadToolDescriptions } from './load-tool-descriptions.ts'
import { projectWith, toolFile } from './project.fixture.ts'
import type { ToolProcess } from './tool-process.ts'

/** A version with one worker that has these tools. */
function policyOf(tools: string): Policy {
  const texts = new Map([
    [
      'countersign.yaml',
      'version: 1\nteams:\n  team: { members: [a@example.com] }\nqueues:\n  team: { team: team }\ndefaults: { queue: team }\n',
    ],
    [
      'workers/w.md',
      `---\nname: w\ndescription: A worker\nmodel: script:./s.yaml\ntools:\n${tools}\n---\nDo.\n`,
    ],
    ['s.yaml', 'turns:\n  - text: Done.\n'],
  ])
  const result = parseProject({ texts, toolFiles: [] })
  if (!('policy' in result)) throw new Error(JSON.stringify(result.problems))
  return result.policy
}

async function toolOf(toolProcess: ToolProcess, name: string, setting = '{}'): Promise<Tool> {
  const policy = policyOf(`  ${name}: ${setting}`)
  const tool = (await buildRegistry({ policy, worker: 'w', toolProcess })).get(name)
  if (tool === undefined) throw new Error(`${name} is not registered`)
  return tool
}

describe('a custom tool', () => {
  const slack = `import { z } from 'zod'
import { defineTool } from 'countersign'
export default defineTool({
  name: 'slack_notify', description: 'Post a message to a channel',
  inputSchema: z.object({
    channel: z.string().default('general'), message: z.string(),
    nested: z.object({ a: z.number() }).optional(),
  }).refine((input) => input.message !== input.channel, { message: 'say something else' }),
  approval: (input) => {
    switch (input.channel) {
      case 'pre': return 'preApproved'
      case 'yes': return true
      case 'no': return false
      case 'blocked': return { blocked: 'not there' }
      case 'odd': return 'maybe' as never
      case 'throws': throw new Error('cannot tell')
      default: return Promise.resolve('ask' as const)
    }
  },
  describe: (input) => { if (input.message === 'odd') throw new Error('no words'); return \`Post to #\${input.channel}\\nnow\` },
  present: (input) => input.message === 'odd' ? ({ type: 'html', content: '<b>' }) as never : ({ type: 'text', content: input.message }),
  scopes: ['once'], risk: 'high', idempotent: true,
  execute: async (input) => \`posted \${input.message}\`,
})
`

  it('is validated by its own schema, refinements included, into one canonical form', async () => {
    await using project = await projectWith({ 'tools/slack.ts': slack })
    const tool = await toolOf(project.toolProcess, 'slack_notify')
    expect(tool).toMatchObject({ risk: 'high', scopes: ['once'], idempotent: true, manual: false })
    expect(tool.jsonSchema).toMatchObject({ type: 'object', required: ['message'] })
    const input = { channel: 'general', message: 'hi' }
    expect(await parsed(tool, { message: 'hi' })).toEqual(input)
    expect(await problemsOf(tool, { message: 'general' })).toBe('say something else')
    expect(await problemsOf(tool, { message: 'x', other: 1 })).toBe('other: unknown field.')
    expect(await problemsOf(tool, { message: 'x', nested: { a: 1, b: 2 } })).toBe(
      'nested.b: unknown field.',
    )
    for (const bad of [{}, null, [], 'x', { message: 1 }, { message: 'a\0' }]) {
      await problemsOf(tool, bad)
    }
  })

  it('says its own consent; what is no verdict, and what throws, is an error for the judge', async () => {
    await using project = await projectWith({ 'tools/slack.ts': slack })
    const tool = await toolOf(project.toolProcess, 'slack_notify')
    const of = (channel: string) => tool.approval({ channel, message: 'x' })
    expect(await of('general')).toBe('ask')
    expect(await of('pre')).toBe('preApproved')
    expect(await of('yes')).toBe('ask')
    expect(await of('no')).toBe('preApproved')
    expect(await of('blocked')).toEqual({ blocked: 'not there' })
    await expect(of('odd')).rejects.toThrow(/neither a verdict nor a boolean/)
    await expect(of('throws')).rejects.toThrow(/cannot tell/)
  })

  it('is shown as it describes itself, or by its arguments with a warning when that fails', async () => {
    await using project = await projectWith({ 'tools/slack.ts': slack })
    using place = await workspaceWith({})
    const tool = await toolOf(project.toolProcess, 'slack_notify')
    const shown = await present(tool, place.workspace, { message: 'hi\u200b there' })
    expect(shown.title).toBe('Post to #general now')
    expect(shown.presentation).toMatchObject({ type: 'text', content: 'hi\u200b there' })
    expect(shown.presentation.warnings[0]).toMatch(/^Hidden characters: 1/)
    expect(shown.facts).toEqual({ toolHash: tool.definitionHash, bases: [] })
    const odd = await present(tool, place.workspace, { message: 'odd' })
    expect(odd.title).toBe('slack_notify {"channel":"general","message":"odd"}')
    expect(odd.presentation.type).toBe('structured')
    expect(odd.presentation.warnings).toEqual([
      'Could not be built: describe failed: Error: no words',
      'Could not be built: present returned no presentation: {type, content, language?}.',
    ])
  })

  it('tells the model what it returned or threw', async () => {
    await using project = await projectWith({
      'tools/slack.ts': slack,
      'tools/fail.ts': toolFile('fail', 'throw new Error("no such channel")'),
      'tools/odd.ts': toolFile('odd', 'return 1n'),
    })
    using place = await workspaceWith({})
    const of = async (name: string, input: Record<string, string>) =>
      execute(await toolOf(project.toolProcess, name), place.workspace, input)
    expect(await of('slack_notify', { message: 'hi' })).toEqual({
      type: 'output',
      output: 'posted hi',
      text: 'posted hi',
    })
    expect(await of('fail', {})).toMatchObject({
      type: 'error',
      text: 'fail failed: Error: no such channel',
    })
    expect(await of('odd', {})).toMatchObject({
      type: 'output',
      text: /ran to its end, but .*not JSON/,
    })
  })

  it('whose process dies has an unknown outcome: execute rejects', async () => {
    await using project = await projectWith({ 'tools/die.ts': toolFile('die', 'process.exit(1)') })
    using place = await workspaceWith({})
    const tool = await toolOf(project.toolProcess, 'die')
    await expect(execute(tool, place.workspace, {})).rejects.toThrow(/ended with exit code 1/)
  })

  it('has a definition hash that changes with its file, and with what tools import', async () => {
    const hashes = new Set<string>()
    for (const [body, shared] of [
      ['return 1', '1'],
      ['return 2', '1'],
      ['return 1', '2'],
    ] as const) {
      await using project = await projectWith({
        'tools/a.ts': toolFile('a', body),
        'tools/lib/b.ts': `export const b = ${shared}`,
      })
      hashes.add((await toolOf(project.toolProcess, 'a')).definitionHash)
    }
    expect(hashes.size).toBe(3)
  })

  it('that is manual, by itself or by the worker file, is marked so', async () => {
    await using project = await projectWith({
      'tools/a.ts': toolFile('a', '', 'manual: true,'),
      'tools/b.ts': toolFile('b', ''),
    })
    expect((await toolOf(project.toolProcess, 'a')).manual).toBe(true)
    expect((await toolOf(project.toolProcess, 'b')).manual).toBe(false)
    expect((await toolOf(project.toolProcess, 'b', '{ manual: true }')).manual).toBe(true)
  })

  it('that cannot be loaded is there, and refuses every call with the reason', async () => {
    await using project = await projectWith({ 'tools/a.ts': 'throw new Error("broken")' })
    using place = await workspaceWith({})
    const tool = await toolOf(project.toolProcess, 'missing')
    expect(await problemsOf(tool, {})).toMatch(/tools\/a\.ts:1: Error: broken/)
    const context = { workspace: place.workspace, signal: new AbortController().signal }
    await expect(tool.present({}, context)).rejects.toMatchObject({ name: 'ToolProblem' })
  })

  it('whose file changed after it was loaded is refused with that sentence', async () => {
    await using project = await projectWith({ 'tools/a.ts': toolFile('a', 'return 1') })
    using place = await workspaceWith({})
    const tool = await toolOf(project.toolProcess, 'a')
    const input = await parsed(tool, {})
    project.put('tools/a.ts', toolFile('a', 'return "evil"'))
    expect(await problemsOf(tool, {})).toMatch(/not the one of the policy version in force/)
    const result = await tool.execute(input, {
      workspace: place.workspace,
      signal: new AbortController().signal,
      idempotencyKey: '',
      facts: { toolHash: tool.definitionHash, bases: [] },
    })
    expect(result).toMatchObject({ type: 'error', text: /not the one of the policy version/ })
  })
})

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

  it('asks as needsApproval says; without it, it declares nothing', async () => {
    await using project = await projectWith({ 'tools/plain.ts': file })
    const of = async (name: string, a: number) =>
      (await toolOf(project.toolProcess, name)).approval({ a })
    expect(await of('plain', 1)).toBeNull()
    expect(await of('asks', 1)).toBe('ask')
    expect(await of('free', 1)).toBe('preApproved')
    expect([await of('depends', 11), await of('depends', 1)]).toEqual(['ask', 'preApproved'])
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

describe('the tools of a worker', () => {
  it('are the file tools when it has zones, and only the custom tools that it lists', async () => {
    await using project = await projectWith({
      'tools/a.ts': toolFile('a', ''),
      'tools/b.ts': toolFile('b', ''),
    })
    const policy = policyOf('  b: {}')
    const worker = policy.workers.get('w') as WorkerDefinition
    const zoned: WorkerDefinition = {
      ...worker,
      zones: [
        {
          name: 'all',
          root: '',
          mode: 'rw',
          suffixes: null,
          approval: {},
          protected: [],
          source: '',
        },
      ],
    }
    const names = async (definition: WorkerDefinition, toolProcess: ToolProcess | null) => {
      const workers = new Map([['w', definition]])
      const registry = await buildRegistry({
        policy: { ...policy, workers },
        worker: 'w',
        toolProcess,
      })
      expect(registry.get('__proto__')).toBeUndefined()
      expect(registry.get('constructor')).toBeUndefined()
      return registry.all().map((tool) => tool.name)
    }
    expect(await names(worker, project.toolProcess)).toEqual(['b'])
    expect(await names(zoned, project.toolProcess)).toEqual([
      'read_file',
      'list_files',
      'search_files',
      'write_file',
      'edit_file',
      'delete_file',
      'move_file',
      'b',
    ])
    expect(await names(worker, null)).toEqual([])
  })

  it('are described for check, with every problem of every file', async () => {
    await using project = await projectWith({
      'tools/a.ts': toolFile('a', ''),
      'tools/b.ts': 'const = 1',
    })
    const found = await loadToolDescriptions(project)
    expect(found.tools.map((tool) => tool.name)).toEqual(['a'])
    expect(found.problems).toMatchObject([{ file: 'tools/b.ts', line: 1 }])
  })
})

import { describe, expect, it } from 'vitest'
import { execute, parsed, present, problemsOf, workspaceWith } from '../workspace.fixture.ts'
import { projectWith, toolProject, toolFile, toolOf } from './project.fixture.ts'

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

  it('is recognised by the service under both names, whatever the project installed', async () => {
    const evil = 'throw new Error("a copy of the project was loaded")'
    const from = (name: string, tool: string) =>
      `import * as given from '${name}'\n${toolFile(tool, 'return Object.keys(given).sort()')}`
    await using project = await projectWith({
      'tools/a.ts': from('countersign', 'a'),
      'tools/b.ts': from('@countersign/tools', 'b').replaceAll(
        "'countersign'",
        "'@countersign/tools'",
      ),
      ...Object.fromEntries(
        ['countersign', '@countersign/tools'].flatMap((name) => [
          [`node_modules/${name}/package.json`, `{"name":"${name}","main":"index.js"}`],
          [`node_modules/${name}/index.js`, evil],
        ]),
      ),
    })
    expect((await project.toolProcess.describe()).problems).toEqual([])
    for (const tool of ['a', 'b']) {
      const query = { do: 'execute', tool, input: { text: '' }, idempotencyKey: 'key' } as const
      const answer = await project.toolProcess.request(query, { timeoutMs: 5000, signal: null })
      expect(answer).toMatchObject({ output: ['defineTool'] })
    }
  })

  // Rules: product.md 3
  it('declares its own verdict; an invalid one, and an exception, are errors for the judge', async () => {
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

  it('may declare one verdict for every call instead of a function', async () => {
    const declaring = (name: string, approval: string) =>
      toolFile(name, 'return 1', `approval: ${approval},`)
    await using project = await projectWith({
      'tools/free.ts': declaring('free', `'preApproved'`),
      'tools/asks.ts': declaring('asks', 'true'),
      'tools/never.ts': declaring('never', `{ blocked: 'never' }`),
      'tools/odd.ts': declaring('odd', `'maybe' as never`),
    })
    const of = async (name: string) => (await toolOf(project.toolProcess, name)).approval({})
    expect([await of('free'), await of('asks'), await of('never')]).toEqual([
      'preApproved',
      'ask',
      { blocked: 'never' },
    ])
    const { problems } = await project.toolProcess.describe()
    expect(problems).toEqual([
      expect.objectContaining({
        file: 'tools/odd.ts',
        line: 3,
        problem: expect.stringMatching(/^TypeError: approval: must be/),
      }),
    ])
  })

  // Rules: product.md 27
  it('is shown as it describes itself, or by its arguments with a warning when that fails', async () => {
    await using project = await projectWith({ 'tools/slack.ts': slack })
    using place = await workspaceWith({})
    const tool = await toolOf(project.toolProcess, 'slack_notify')
    const call = await present(tool, place.workspace, { message: 'hi\u200b there' })
    expect(call.title).toBe('Post to #general now')
    expect(call.presentation).toMatchObject({ type: 'text', content: 'hi\u200b there' })
    expect(call.presentation.warnings[0]).toMatch(/^Hidden characters: 1/)
    expect(call.facts).toEqual({ toolHash: tool.definitionHash, bases: [] })
    const odd = await present(tool, place.workspace, { message: 'odd' })
    expect(odd.title).toBe('slack_notify {"channel":"general","message":"odd"}')
    expect(odd.presentation.type).toBe('structured')
    expect(odd.presentation.warnings).toEqual([
      'Could not be built: describe failed: Error: no words',
      'Could not be built: present returned no presentation: {type, content, language?}.',
    ])
  })

  it('is shown with the metadata that it gives, which replaces none of our own facts and is never dropped silently', async () => {
    const giving = (name: string, source: string): readonly [string, string] => [
      `tools/${name}.ts`,
      toolFile(name, 'return 1', `present: () => (${source}) as never,`),
    ]
    const content = `type: 'text', content: 'shown'`
    await using project = await projectWith(
      Object.fromEntries([
        giving('plain', `{ ${content}, metadata: { ticket: 'OPS-1', deep: { a: [1, null] } } }`),
        giving('ours', `{ ${content}, metadata: { path: '/etc', sandbox: 'none', ticket: 7 } }`),
        giving('huge', `{ ${content}, metadata: { text: 'x'.repeat(20000) } }`),
        giving('odd', `{ ${content}, metadata: { when: new Map([[1, 2]]) } }`),
        giving('half', `{ ${content}, metadata: { a: '\\ud800' } }`),
        giving('list', `{ ${content}, metadata: [1] }`),
        giving('more', `{ ${content}, title: 'T', warnings: [] }`),
        giving('nested', `{ type: 'text', content: { type: 'text', content: 'inside' } }`),
      ]),
    )
    using place = await workspaceWith({})
    const presentationOf = async (name: string) =>
      (await present(await toolOf(project.toolProcess, name), place.workspace, {})).presentation
    const kept = async (name: string) => {
      const { content: text, metadata, warnings } = await presentationOf(name)
      return [text, metadata, ...warnings]
    }
    expect(await kept('plain')).toEqual(['shown', { ticket: 'OPS-1', deep: { a: [1, null] } }])
    expect(await kept('ours')).toEqual([
      'shown',
      { ticket: 7 },
      expect.stringMatching(/path, sandbox is a name of Countersign's own facts/),
    ])
    for (const [name, why] of [
      ['huge', /metadata of present was left out: it has 20011 bytes, more than the 16384/],
      ['odd', /metadata of present was left out: it holds a Map/],
      ['half', /metadata of present was left out: it has half of a surrogate pair/],
      ['list', /metadata of present was left out: it is not an object/],
      ['more', /present: "title", "warnings" is not a member of a presentation and was left out/],
    ] as const) {
      expect(await kept(name)).toEqual(['shown', {}, expect.stringMatching(why)])
    }
    expect((await presentationOf('nested')).warnings).toEqual([
      expect.stringMatching(/present returned no presentation/),
    ])
  })

  it('passes to the model what it returned or threw', async () => {
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
    await using project = await toolProject({ die: 'process.exit(1)' })
    using place = await workspaceWith({})
    const tool = await toolOf(project.toolProcess, 'die')
    await expect(execute(tool, place.workspace, {})).rejects.toThrow(/ended with exit code 1/)
  })

  it('has a definition hash that changes with its file, and with the modules that tools import', async () => {
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

  it('that cannot be loaded is listed, and refuses every call with the reason', async () => {
    await using project = await projectWith({ 'tools/a.ts': 'throw new Error("broken")' })
    using place = await workspaceWith({})
    const tool = await toolOf(project.toolProcess, 'missing')
    expect(await problemsOf(tool, {})).toMatch(/tools\/a\.ts:1: Error: broken/)
    const context = { workspace: place.workspace, signal: new AbortController().signal }
    await expect(tool.present({}, context)).rejects.toMatchObject({ name: 'ToolProblem' })
  })

  it('whose file changed after it was loaded is refused with that sentence', async () => {
    await using project = await toolProject({ a: 'return 1' })
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
      printed: null,
    })
    expect(result).toMatchObject({ type: 'error', text: /not the one of the policy version/ })
  })

  it('whose process cannot be started was not carried out, and that is no unknown end', async () => {
    const body = `globalThis.process.kill(globalThis.process.pid, 'SIGKILL')`
    const toDie = "if (existsSync('die')) process.kill(process.pid, 'SIGKILL')\n"
    const file = `import { existsSync } from 'node:fs'\n${toDie}${toolFile('frail', body)}`
    await using project = await projectWith({ 'tools/frail.ts': file })
    const tool = await toolOf(project.toolProcess, 'frail')
    const input = await parsed(tool, {})
    const { workspace } = await workspaceWith({})
    const run = () =>
      tool.execute(input, {
        workspace,
        signal: new AbortController().signal,
        idempotencyKey: 'call-1:1',
        facts: { toolHash: tool.definitionHash, bases: [] },
        printed: null,
      })
    // It ends in the middle: nobody knows what it did.
    await expect(run()).rejects.toThrow('ended by SIGKILL')
    project.put('die', '')
    expect(await run()).toMatchObject({
      type: 'error',
      text: expect.stringMatching(/^frail was not carried out: .*was ended by SIGKILL/),
    })
  })
})

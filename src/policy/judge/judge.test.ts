import { describe, expect, test } from 'vitest'
import { callDigest } from '#domain/json/digest.ts'
import type { Json } from '#domain/json/json.ts'
import {
  customTool,
  inUsualWorkspace,
  projectWith,
  usualProject,
  usualZones,
} from '#test/harness/fixtures/judging.ts'
import type { GrantLookup } from './calls/policy-query.ts'

const { ask, judgeBy } = inUsualWorkspace()

// Rules: product.md 1, 4
describe('steps 1 to 3: a call that could not run is an error to the model, and nobody is asked', () => {
  test.each<[string, string, Json, RegExp]>([
    ['an invented tool', 'wrte_file', { path: 'notes/b.md' }, /did you mean "write_file"/],
    ['a name of Object', 'constructor', {}, /There is no tool/],
    ['an unknown field', 'write_file', { path: 'notes/b.md', content: '', mode: 7 }, /mode/],
    ['a missing field', 'write_file', { path: 'notes/b.md' }, /content/],
    ['arguments that were no JSON', 'write_file', { invalidJson: '{' }, /Invalid input/],
    ['a path outside of zones', 'write_file', { path: '../x.md', content: '' }, /Invalid input/],
    ['a read-only zone', 'write_file', { path: 'src/a.ts', content: '' }, /read-only/],
    ['a wrong suffix', 'write_file', { path: 'notes/a.txt', content: '' }, /does not end in .md/],
    ['a link', 'read_file', { path: 'scratch/link' }, /is a link/],
    ['a link on the way', 'read_file', { path: 'scratch/etc/hostname' }, /link/],
    ['a FIFO', 'read_file', { path: 'scratch/pipe' }, /not a regular file/],
    ['a directory as a file', 'write_file', { path: 'scratch/folder', content: '' }, /directory/],
    ['a file as a directory', 'list_files', { path: 'notes/a.md' }, /not a directory/],
    ['other case', 'write_file', { path: 'scratch/X.txt', content: '' }, /differs only by case/],
    ['the data folder', 'read_file', { path: '.countersign/run/dev-token' }, /./],
    ['an asked read of nothing', 'read_file', { path: 'secret/none.txt' }, /does not exist/],
  ])('%s', async (_title, tool, input, reason) => {
    const judgement = await ask(tool, input)
    expect(judgement).toMatchObject({ verdict: 'error', rule: null, routing: null })
    expect(judgement.reason).toMatch(reason)
    expect(judgement.steps.at(-1)?.outcome).toBe('error')
  })

  test('for a path outside of all zones the error names the zones', async () => {
    const project = projectWith('zones: [{ name: notes, root: notes, mode: rw }]')
    const judgement = await ask('read_file', { path: 'src/main.ts' }, {}, project)
    expect(judgement).toMatchObject({
      verdict: 'error',
      reason: '"src/main.ts" is in no zone of this worker; its zones: notes (notes)',
    })
  })

  // Rules: product.md 16
  test('two calls with one id are both refused', async () => {
    const input = { path: 'notes/a.md' }
    expect(await ask('read_file', input, { hasDuplicateId: true })).toMatchObject({
      verdict: 'error',
    })
  })

  test('text without a canonical form is refused', async () => {
    const call = { tool: 'notify', input: { message: '\ud800' }, tools: [customTool()] }
    const judgement = await judgeBy(usualProject, call)
    expect(judgement).toMatchObject({ verdict: 'error' })
    expect(judgement.digest).toMatch(/^sha256:/)
  })

  // Rules: product.md 5
  test('the model cannot call a manual tool; a person may invoke it', async () => {
    const tools = [customTool({ manual: true })]
    const call = { tool: 'notify', input: {}, tools }
    expect(await judgeBy(usualProject, call)).toMatchObject({ verdict: 'error' })
    expect(await judgeBy(usualProject, call, { byPerson: true })).toMatchObject({
      verdict: 'ask',
    })
    const manual = projectWith(`${usualZones}\ntools: { notify: { manual: true } }`)
    const plain = { ...call, tools: [customTool()] }
    expect(await judgeBy(manual, plain)).toMatchObject({ verdict: 'error' })
  })

  test('a built-in tool that the worker does not have is unknown to it', async () => {
    expect((await ask('exec', {})).reason).toMatch(/^There is no tool "exec"/)
  })

  test.each([
    ['nope', /one of .*"mcp__files__wipe"/],
    ['wpie', /did you mean "mcp__files__wipe"/],
  ])(
    'an unknown tool %s of an MCP server is not taken for an unlike one of it',
    async (name, reason) => {
      const call = {
        tool: `mcp__files__${name}`,
        input: {},
        tools: [customTool({ name: 'mcp__files__wipe' })],
      }
      expect((await judgeBy(usualProject, call)).reason).toMatch(reason)
    },
  )

  test('calls of a worker that no longer exists are blocked', async () => {
    const judgement = await ask('read_file', { path: 'notes/a.md' }, { worker: 'gone' })
    expect(judgement).toMatchObject({ verdict: 'blocked', rule: { id: 'worker:missing' } })
  })
})

describe('steps 5 and 6: mode and grants apply to calls that ask', () => {
  const write = { path: 'notes/b.md', content: 'x' }
  const grantAll = { findGrant: async () => ({ id: 'g1', text: 'granted by Grace' }) }

  // Rules: product.md 21
  test('strict denies and approve_all approves, and each is named', async () => {
    expect(await ask('write_file', write, { runMode: 'strict' })).toMatchObject({
      verdict: 'blocked',
      rule: { id: 'mode:strict' },
      reason: expect.stringContaining('strict'),
    })
    expect(await ask('write_file', write, { runMode: 'approve_all' })).toMatchObject({
      verdict: 'preApproved',
      rule: { id: 'mode:approve_all' },
    })
  })

  // Rules: product.md 10
  test('a grant pre-approves and is named', async () => {
    expect(await ask('write_file', write, grantAll)).toMatchObject({
      verdict: 'preApproved',
      rule: { id: 'grant:g1', text: 'granted by Grace' },
      grantId: 'g1',
    })
  })

  // Rules: product.md 1, 10, 21
  test('neither overrides a block, and pre-approved calls run in every mode', async () => {
    for (const runMode of ['prompt', 'strict', 'approve_all'] as const) {
      const more = { runMode, ...grantAll }
      expect(await ask('delete_file', { path: 'notes/a.md' }, more)).toMatchObject({
        verdict: 'blocked',
        rule: { id: 'zone:notes.delete' },
      })
      expect(await ask('read_file', { path: 'notes/a.md' }, more)).toMatchObject({
        verdict: 'preApproved',
        rule: { id: 'zone:notes.read' },
        grantId: null,
      })
    }
  })

  // Rules: product.md 10
  test('a grant is looked up by digest and definition, and by path only where that scope is offered', async () => {
    const lookups: GrantLookup[] = []
    const findGrant = async (lookup: GrantLookup) => {
      lookups.push(lookup)
      return null
    }
    const judgement = await ask('write_file', write, { findGrant })
    await ask('move_file', { from: 'scratch/x.txt', to: 'notes/z.md' }, { findGrant })
    await ask('read_file', { path: 'notes/a.md' }, { findGrant })
    const once = projectWith(
      usualZones,
      'defaults: { queue: platform }\nrouting: [{ when: {}, scopes: [run] }]\n',
    )
    await ask('write_file', write, { findGrant }, once)
    expect(lookups).toMatchObject([
      { tool: 'write_file', digest: judgement.digest, path: 'notes/b.md' },
      { tool: 'move_file', path: null },
      { tool: 'write_file', path: null },
    ])
    expect(judgement.digest).toBe(
      callDigest({ tool: 'write_file', input: judgement.input, toolHash: judgement.toolHash }),
    )
  })
})

test('a file that is missing now counts as present if an earlier call of the turn writes it', async () => {
  const input = { path: 'secret/none.txt' }
  const earlierWrites = new Set(['secret/none.txt'])
  expect(await ask('read_file', input, { earlierWrites })).toMatchObject({ verdict: 'ask' })
})

test('every step is listed, in order', async () => {
  const { steps } = await ask('write_file', { path: 'notes/b.md', content: 'x' })
  expect(steps.map((step) => [step.step, step.outcome])).toEqual([
    ['known', 'yes'],
    ['canonical', 'yes'],
    ['capability', 'yes'],
    ['consent', 'ask'],
    ['mode', 'prompt'],
    ['grant', 'none'],
    ['routing', 'platform'],
  ])
})

// Rules: product.md 38
test('the first use of a tool is a cue, and a first question, which runs no program, is none', async () => {
  const cueFacts = {
    usedTools: new Set<string>(),
    outsider: null,
    isTracked: async () => true,
  }
  const project = projectWith(`${usualZones}\ntools: { ask_person: ask }`)
  const cuesOf = async (tool: string, input: Json) => {
    const { verdict, cues = [] } = await ask(tool, input, { cueFacts }, project)
    return [verdict, cues.map(({ id }) => id)]
  }
  expect(await cuesOf('write_file', { path: 'notes/b.md', content: '' })).toEqual([
    'ask',
    ['first_use'],
  ])
  expect(await cuesOf('ask_person', { question: 'Which one?' })).toEqual(['ask', []])
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callDigest } from '../../domain/digest.ts'
import type { Json } from '../../domain/json.ts'
import {
  customTool,
  judged,
  projectWith,
  usualWorkspace,
  usualZones,
  type UsualWorkspace,
} from '../../../test/harness/fixtures/judging.ts'
import type { GrantLookup, JudgeQuestion } from './question.ts'

let workspace: UsualWorkspace
beforeAll(async () => {
  workspace = await usualWorkspace()
})
afterAll(() => workspace[Symbol.dispose]())

const usual = projectWith(usualZones)

function ask(tool: string, input: Json, more: Partial<JudgeQuestion> = {}, project = usual) {
  return judged(project, workspace, { tool, input }, more)
}

describe('steps 1 to 3: what could not run is an error to the model, and nobody is asked', () => {
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

  test('a path in no zone names the zones', async () => {
    const project = projectWith('zones: [{ name: notes, root: notes, mode: rw }]')
    const judgement = await ask('read_file', { path: 'src/main.ts' }, {}, project)
    expect(judgement).toMatchObject({
      verdict: 'error',
      reason: '"src/main.ts" is in no zone of this worker; its zones: notes (notes)',
    })
  })

  test('two calls with one id are both refused', async () => {
    const input = { path: 'notes/a.md' }
    expect(await ask('read_file', input, { duplicateId: true })).toMatchObject({ verdict: 'error' })
  })

  test('text that has no canonical form is refused', async () => {
    const call = { tool: 'notify', input: { message: '\ud800' }, tools: [customTool()] }
    const judgement = await judged(usual, workspace, call)
    expect(judgement).toMatchObject({ verdict: 'error' })
    expect(judgement.digest).toMatch(/^sha256:/)
  })

  test('a manual tool is for people; a person may invoke it', async () => {
    const tools = [customTool({ manual: true })]
    const call = { tool: 'notify', input: {}, tools }
    expect(await judged(usual, workspace, call)).toMatchObject({ verdict: 'error' })
    expect(await judged(usual, workspace, call, { byPerson: true })).toMatchObject({
      verdict: 'ask',
    })
    const manual = projectWith(`${usualZones}\ntools: { notify: { manual: true } }`)
    const plain = { ...call, tools: [customTool()] }
    expect(await judged(manual, workspace, plain)).toMatchObject({ verdict: 'error' })
  })

  test('a built-in tool that this release lacks is said to be so only to who was given it', async () => {
    const project = projectWith(`${usualZones}\nshell: { default: ask }`)
    expect((await ask('exec', {}, {}, project)).reason).toBe('The tool exec is not available yet')
    expect((await ask('exec', {})).reason).toMatch(/^There is no tool "exec"/)
  })

  test('a worker that is gone blocks', async () => {
    const judgement = await ask('read_file', { path: 'notes/a.md' }, { worker: 'gone' })
    expect(judgement).toMatchObject({ verdict: 'blocked', rule: { id: 'worker:missing' } })
  })
})

describe('step 4: consent', () => {
  test('a zone decides, named by its rule, in words, with file and line', async () => {
    const judgement = await ask('write_file', { path: 'notes/b.md', content: 'x' })
    expect(judgement).toMatchObject({
      verdict: 'ask',
      rule: {
        id: 'zone:notes.write',
        text: 'zone notes: write asks',
        source: 'workers/scribe.md:6',
      },
      risk: 'medium',
      readOnly: false,
      policyDigest: usual.digest,
    })
  })

  test.each<[string, Json, string, string]>([
    ['read_file', { path: 'src/main.ts' }, 'preApproved', 'zone:repo.read'],
    ['list_files', { path: 'notes' }, 'preApproved', 'zone:notes.read'],
    ['write_file', { path: 'scratch/y.txt', content: '' }, 'preApproved', 'zone:scratch.write'],
    ['delete_file', { path: 'notes/a.md' }, 'blocked', 'zone:notes.delete'],
    ['read_file', { path: 'secret/s.txt' }, 'ask', 'zone:secret.read'],
    ['search_files', { pattern: 'x', path: '.' }, 'ask', 'zone:secret.read'],
    ['write_file', { path: 'secret/n.txt', content: '' }, 'blocked', 'zone:secret.write'],
    [
      'move_file',
      { from: 'scratch/x.txt', to: 'scratch/z.txt' },
      'preApproved',
      'zone:scratch.delete',
    ],
    ['move_file', { from: 'scratch/x.txt', to: 'notes/z.md' }, 'ask', 'zone:notes.write'],
    ['move_file', { from: 'notes/a.md', to: 'scratch/a.md' }, 'blocked', 'zone:notes.delete'],
  ])('%s %j: %s by %s', async (tool, input, verdict, rule) => {
    expect(await ask(tool, input)).toMatchObject({ verdict, rule: { id: rule } })
  })

  test('a block tells its reason, or the rule', async () => {
    expect((await ask('delete_file', { path: 'notes/a.md' })).reason).toBe('notes are kept')
    expect((await ask('write_file', { path: 'secret/n.txt', content: '' })).reason).toBe(
      'blocked by policy: zone secret: write is blocked',
    )
  })

  test('of two zones with one root the stricter decides, in capability and consent', async () => {
    const two = (second: string) =>
      projectWith(`zones:
  - { name: one, root: scratch, mode: rw, approval: { write: preApproved } }
  - { name: two, root: scratch, ${second} }`)
    const write = { path: 'scratch/y.txt', content: '' }
    expect(
      await ask('write_file', write, {}, two('mode: rw, approval: { write: blocked }')),
    ).toMatchObject({ verdict: 'blocked', rule: { id: 'zone:two.write' } })
    expect(await ask('write_file', write, {}, two('mode: ro'))).toMatchObject({ verdict: 'error' })
  })

  test('an unset write asks, an unset read does not', async () => {
    const project = projectWith('zones: [{ name: all, root: ., mode: rw }]')
    expect(await ask('read_file', { path: 'src/main.ts' }, {}, project)).toMatchObject({
      verdict: 'preApproved',
    })
    for (const [tool, input] of [
      ['write_file', { path: 'src/main.ts', content: '' }],
      ['delete_file', { path: 'src/main.ts' }],
    ] as const) {
      expect(await ask(tool, input, {}, project)).toMatchObject({ verdict: 'ask' })
    }
  })

  test('an overlay tightens what a zone allows, and says so', async () => {
    const project = projectWith(
      usualZones,
      `defaults: { queue: platform }
overlays:
  - { when: { tool: write_file, path: "scratch/**" }, approval: ask, reason: ask first }
  - { when: { path: ["src/**", "infra/**"], worker: scribe }, approval: { blocked: not this } }
`,
    )
    expect(
      await ask('write_file', { path: 'scratch/y.txt', content: '' }, {}, project),
    ).toMatchObject({
      verdict: 'ask',
      rule: { id: 'overlay:1', text: 'overlay 1: write_file asks (ask first)' },
    })
    expect(await ask('read_file', { path: 'src/main.ts' }, {}, project)).toMatchObject({
      verdict: 'blocked',
      reason: 'not this',
      rule: { id: 'overlay:2', source: expect.stringMatching(/^countersign.yaml:\d+$/) },
    })
    // Searching everything would read what the overlay blocks.
    expect(await ask('search_files', { pattern: 'x' }, {}, project)).toMatchObject({
      verdict: 'blocked',
    })
    expect(await ask('read_file', { path: 'notes/a.md' }, {}, project)).toMatchObject({
      verdict: 'preApproved',
    })
  })

  describe('a custom tool', () => {
    const verdictOf = async (approval: () => Promise<unknown>, settings = '{}') => {
      const project = projectWith(`tools: { notify: ${settings} }`)
      const tools = [customTool({ approval: approval as never })]
      return judged(project, workspace, { tool: 'notify', input: {}, tools })
    }

    test('without a declaration asks, unless the worker file pre-approves it', async () => {
      expect(await verdictOf(async () => null)).toMatchObject({
        verdict: 'ask',
        rule: { id: 'tool:notify' },
      })
      const settings = '{ approval: preApproved }'
      expect(await verdictOf(async () => null, settings)).toMatchObject({ verdict: 'preApproved' })
    })

    test.each<[unknown, string]>([
      ['ask', 'ask'],
      [true, 'ask'],
      ['preApproved', 'preApproved'],
      [false, 'preApproved'],
      [{ blocked: 'never on Fridays' }, 'blocked'],
    ])('that says %j: %s', async (answer, verdict) => {
      expect(await verdictOf(async () => answer)).toMatchObject({ verdict })
    })

    test.each<[unknown]>([['yes'], [1], [undefined], [[]], [{ approval: 'preApproved' }]])(
      'that returns %j asks, with the reason shown',
      async (answer) => {
        const judgement = await verdictOf(async () => answer)
        expect(judgement).toMatchObject({ verdict: 'ask' })
        expect(judgement.rule?.text).toMatch(/which is no verdict/)
      },
    )

    test('that throws asks, with the reason shown', async () => {
      const judgement = await verdictOf(() => Promise.reject(new Error('no database')))
      expect(judgement).toMatchObject({ verdict: 'ask' })
      expect(judgement.rule?.text).toContain('no database')
    })

    test('the stricter of tool and worker file counts, either way round', async () => {
      expect(await verdictOf(async () => 'ask', '{ approval: preApproved }')).toMatchObject({
        verdict: 'ask',
      })
      expect(
        await verdictOf(async () => 'preApproved', '{ approval: { blocked: off } }'),
      ).toMatchObject({ verdict: 'blocked', reason: 'off' })
    })
  })
})

describe('steps 5 and 6: mode and grants apply to what asks', () => {
  const write = { path: 'notes/b.md', content: 'x' }
  const grantAll = { findGrant: async () => ({ id: 'g1', text: 'granted by Grace' }) }

  test('strict denies and names the mode, approve_all approves and names it', async () => {
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

  test('a grant pre-approves and is named', async () => {
    expect(await ask('write_file', write, grantAll)).toMatchObject({
      verdict: 'preApproved',
      rule: { id: 'grant:g1', text: 'granted by Grace' },
      grantId: 'g1',
    })
  })

  test('neither beats a block, and pre-approved calls run in every mode', async () => {
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

  test('a grant is looked up by digest and definition, by path only where that scope is offered', async () => {
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

describe('step 7: routing', () => {
  const write = { path: 'notes/b.md', content: 'x' }
  const routed = (routing: string) =>
    projectWith(usualZones, `defaults: { queue: platform }\nrouting:\n${routing}`)

  test('without an entry: the default queue, anybody of its team, its times', async () => {
    expect((await ask('write_file', write)).routing).toEqual({
      queue: 'platform',
      team: 'platform',
      quorum: { any: [[{ team: 'platform', count: 1 }]] },
      quorumText: '1 of platform',
      expiresAfterMs: 72 * 3_600_000,
      permitForMs: 30 * 86_400_000,
      scopes: ['once', 'run', 'path'],
      edits: 'approve',
      selfApproval: false,
      signature: 'optional',
    })
  })

  test('the first entry that matches decides queue, quorum, risk and scopes', async () => {
    const project = routed(`  - { when: { tool: delete_file }, queue: platform, risk: low }
  - { when: { path: "notes/**", risk: [medium, high] }, queue: security, risk: high, scopes: [run],
      quorum: { allOf: [{ team: platform, count: 2 }, { team: security }] } }
  - { when: {}, queue: platform, risk: low }
`)
    expect(await ask('write_file', write, {}, project)).toMatchObject({
      risk: 'high',
      routing: {
        queue: 'security',
        quorum: {
          any: [
            [
              { team: 'platform', count: 2 },
              { team: 'security', count: 1 },
            ],
          ],
        },
        quorumText: '2 of platform and 1 of security',
        scopes: ['once', 'run'],
        edits: 'off',
        expiresAfterMs: 3_600_000,
        permitForMs: 86_400_000,
        selfApproval: true,
        signature: 'required',
      },
    })
  })

  test('an entry without a queue keeps the worker’s own; count is of its team; anyOf gives alternatives', async () => {
    const count = routed('  - { when: { worker: scribe }, quorum: { count: 2 } }\n')
    expect((await ask('write_file', write, {}, count)).routing).toMatchObject({
      queue: 'platform',
      quorumText: '2 of platform',
    })
    const either = routed(
      '  - { when: { queue: platform }, quorum: { anyOf: [{ team: platform, count: 2 }, { team: security }] } }\n',
    )
    expect((await ask('write_file', write, {}, either)).routing?.quorumText).toBe(
      '2 of platform or 1 of security',
    )
    const own = projectWith(`queue: security\n${usualZones}`)
    expect((await ask('write_file', write, {}, own)).routing?.queue).toBe('security')
  })

  test('at high risk an editor never also decides', async () => {
    const high = routed('  - { when: {}, risk: high }\n')
    expect((await ask('write_file', write, {}, high)).routing?.edits).toBe('revise')
  })

  test('a call that nobody could be asked about is blocked, with what to configure', async () => {
    const project = projectWith(usualZones, '')
    expect(await ask('write_file', write, {}, project)).toMatchObject({
      verdict: 'blocked',
      rule: { id: 'routing:none' },
      reason: expect.stringContaining('no queue is configured'),
    })
  })

  test('scope path is for calls that write one file and nothing else', async () => {
    const move = { from: 'scratch/x.txt', to: 'notes/z.md' }
    expect((await ask('move_file', move)).routing?.scopes).toEqual(['once', 'run'])
    expect((await ask('read_file', { path: 'secret/s.txt' })).routing?.scopes).toEqual([
      'once',
      'run',
    ])
  })
})

test('what is absent now may be there once an earlier call of the turn has run', async () => {
  const input = { path: 'secret/none.txt' }
  const earlierWrites = new Set(['secret/none.txt'])
  expect(await ask('read_file', input, { earlierWrites })).toMatchObject({ verdict: 'ask' })
})

test('every step is told, in order', async () => {
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

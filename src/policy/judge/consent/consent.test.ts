import { describe, expect, test } from 'vitest'
import type { Json } from '#domain/json/json.ts'
import {
  customTool,
  inUsualWorkspace,
  projectWith,
  usualProject,
  usualZones,
} from '#test/harness/fixtures/judging.ts'

const { ask, judgeBy } = inUsualWorkspace()

// Rules: product.md 2
describe('step 4: consent', () => {
  test('a zone decides; the verdict names its rule in words, with file and line', async () => {
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
      policyDigest: usualProject.digest,
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

  test('a block has its reason, or else its rule', async () => {
    expect((await ask('delete_file', { path: 'notes/a.md' })).reason).toBe('notes are kept')
    expect((await ask('write_file', { path: 'secret/n.txt', content: '' })).reason).toBe(
      'blocked by policy: zone secret: write is blocked',
    )
  })

  test('of two zones with one root the stricter one decides, in capability and consent', async () => {
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

  test('an overlay makes the verdict of a zone stricter, and is named', async () => {
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
    // A search of the whole workspace would read the files that the overlay blocks.
    expect(await ask('search_files', { pattern: 'x' }, {}, project)).toMatchObject({
      verdict: 'blocked',
    })
    expect(await ask('read_file', { path: 'notes/a.md' }, {}, project)).toMatchObject({
      verdict: 'preApproved',
    })
  })

  test('a search by another program asks where the built-in search would leave files out', async () => {
    const search = (zone: string, config?: string, runsHere = false) =>
      ask('search_files', { pattern: 'x' }, { runsHere }, projectWith(`zones: [${zone}]`, config))
    const all = '{ name: all, root: ., mode: ro }'
    const some = '{ name: all, root: ., mode: ro, suffixes: [.md] }'
    const reading = `defaults: { queue: platform }
overlays: [{ when: { tool: read_file, path: "src/**" }, approval: ask }]
`
    expect(await search(all)).toMatchObject({ verdict: 'preApproved' })
    expect(await search(some)).toMatchObject({
      verdict: 'ask',
      reason: 'zone all: read asks (a program would search its other files too)',
    })
    expect(await search(all, reading)).toMatchObject({ rule: { id: 'overlay:1' }, verdict: 'ask' })
    for (const [zone, config] of [[some], [all, reading]] as const) {
      expect(await search(zone, config, true)).toMatchObject({ verdict: 'preApproved' })
    }
  })

  // Rules: product.md 3
  describe('a custom tool', () => {
    const verdictOf = async (approval: () => Promise<unknown>, settings = '{}') => {
      const project = projectWith(`tools: { notify: ${settings} }`)
      const tools = [customTool({ approval: approval as never })]
      return judgeBy(project, { tool: 'notify', input: {}, tools })
    }

    test('without an approval of its own asks, unless the worker file pre-approves it', async () => {
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

    test('whose approval throws asks, with the reason shown', async () => {
      const judgement = await verdictOf(() => Promise.reject(new Error('no database')))
      expect(judgement).toMatchObject({ verdict: 'ask' })
      expect(judgement.rule?.text).toContain('no database')
    })

    test('gets the stricter approval of tool and worker file, whichever that is', async () => {
      expect(await verdictOf(async () => 'ask', '{ approval: preApproved }')).toMatchObject({
        verdict: 'ask',
      })
      expect(
        await verdictOf(async () => 'preApproved', '{ approval: { blocked: off } }'),
      ).toMatchObject({ verdict: 'blocked', reason: 'off' })
    })
  })
})

import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { CommandHost } from '../../domain/command.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { Approval, RunMode, Verdict } from '../../domain/verdict.ts'
import {
  customTool,
  inUsualWorkspace,
  projectWith,
} from '../../../test/harness/fixtures/judging.ts'
import type { Consent, Overlay, Policy, RoutingEntry, ShellPolicy, When, Zone } from '../policy.ts'

/** Cases of each property. Each is a policy of its own, a call, and what is laid over or granted. */
const runs = { numRuns: 1500 }

vi.setConfig({ testTimeout: 180_000 })

const { judgeBy } = inUsualWorkspace()

const base = projectWith('zones: []')
const worker = base.workers.get('scribe')

/** A host whose sandbox works and that has every program: nothing but policy keeps a command from running. */
const commandHost: CommandHost = {
  sandboxProblem: null,
  executable: async (name) => ({ path: `/usr/bin/${name}`, hash: 'sha256:0' }),
  realPath: async (absolute) => absolute,
}

const said = (approval: Consent['approval']): Consent => ({
  approval,
  reason: null,
  source: 'generated:1',
})
const word = fc
  .constantFrom('preApproved', 'preApproved', 'preApproved', 'ask', 'blocked')
  .map(said)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
const many = <T>(arbitrary: fc.Arbitrary<T>) =>
  maybe(fc.array(arbitrary, { minLength: 1, maxLength: 2 }))

const path = fc.constantFrom('notes/a.md', 'scratch/x.txt', 'a/.env', '.git/config', 'c.txt')
const pattern = fc.constantFrom(
  'ls',
  'ls',
  'ls',
  'git status',
  'git status',
  'cat',
  'git',
  'git push',
  'rm',
  'env',
)
const script = fc.constantFrom(
  'ls',
  'ls',
  'ls',
  'ls; ls',
  'git status',
  'git status',
  'git -C . push --force',
  'ls && git status',
  'ls | cat',
  'cat notes/a.md; rm -rf scratch',
  'env git push',
  'echo "$(git push)"',
  "g''it push",
  'X=1 ls',
  'ls > out.txt',
  'if true; then ls; fi',
  'ls )',
)
const zone: fc.Arbitrary<Omit<Zone, 'name'>> = fc.record({
  root: fc.constantFrom('', '', 'notes', 'scratch', 'a'),
  mode: fc.constantFrom('ro', 'rw'),
  suffixes: fc.constant(null),
  approval: fc.record({ read: word, write: word, delete: word }, { requiredKeys: [] }),
  protected: fc.constantFrom([], ['**/.env']),
  source: fc.constant('generated:2'),
})
const shell: fc.Arbitrary<ShellPolicy> = fc.record({
  default: fc.constantFrom('ask', 'blocked'),
  rules: fc.array(
    fc.record({
      pattern: pattern.map((text) => text.split(' ')),
      consent: word,
      description: fc.constant(null),
      zones: fc.constant(null),
      unlessArgs: fc.constantFrom([], ['--force']),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  source: fc.constant('generated:3'),
})
const when: fc.Arbitrary<When> = fc.record({
  tool: many(fc.constantFrom('write_file', '*_file', 'shell', 'exec', 'notify', '*')),
  path: many(fc.constantFrom('notes/**', '**/*.txt', 'c.txt')),
  worker: many(fc.constantFrom('scribe', 'other')),
  queue: many(fc.constantFrom('platform', 'security')),
  command: many(pattern),
  risk: many(fc.constantFrom('low', 'medium', 'high')),
})
const overlay: fc.Arbitrary<Overlay> = fc.record({
  when: fc.oneof(fc.constant({ ...emptyWhen() }), when),
  consent: fc.constantFrom('ask', 'blocked').map(said),
})
const routing: fc.Arbitrary<RoutingEntry> = fc.record({
  when,
  queue: maybe(fc.constantFrom('platform', 'security')),
  risk: maybe(fc.constantFrom('low', 'medium', 'high')),
  quorum: maybe(fc.record({ count: fc.integer({ min: 1, max: 3 }) })),
  scopes: maybe(fc.constantFrom(['once'], ['once', 'run', 'path', 'command'])),
  source: fc.constant('generated:4'),
})
const call: fc.Arbitrary<{ tool: string; input: JsonObject }> = fc.oneof(
  path.map((at) => ({ tool: 'write_file', input: { path: at, content: '' } })),
  path.map((at) => ({ tool: 'read_file', input: { path: at } })),
  path.map((at) => ({ tool: 'delete_file', input: { path: at } })),
  fc.tuple(path, path).map(([from, to]) => ({ tool: 'move_file', input: { from, to } })),
  fc.constant({ tool: 'notify', input: {} }),
  {
    weight: 4,
    arbitrary: script.map((command) => ({ tool: 'shell', input: { command } as JsonObject })),
  },
  {
    weight: 3,
    arbitrary: script.map((text) => ({ tool: 'exec', input: { argv: text.split(' ') } })),
  },
)
const world = fc.record({
  zones: fc.array(zone, { minLength: 1, maxLength: 3 }),
  shell: fc.option(shell, { nil: null, freq: 9 }),
  setting: maybe(word),
  overlays: fc.array(overlay, { maxLength: 1 }),
  routing: fc.array(routing, { maxLength: 3 }),
  answer: fc.constantFrom<Approval | null>('preApproved', 'ask', { blocked: 'no' }, null),
  call,
})
type World = typeof world extends fc.Arbitrary<infer T> ? T : never

function emptyWhen(): When {
  return { tool: null, path: null, worker: null, queue: null, command: null, risk: null }
}

function policyOf(one: World): Policy {
  if (worker === undefined) throw new Error('the base project has its worker')
  const zones = one.zones.map((each, index) => ({ ...each, name: `z${index}` }))
  const tools = new Map(
    ['notify', 'shell', 'exec'].map((name) => [
      name,
      { consent: one.setting, manual: false, source: 'generated:5' },
    ]),
  )
  return {
    ...base,
    config: { ...base.config, overlays: one.overlays, routing: one.routing },
    workers: new Map([['scribe', { ...worker, zones, shell: one.shell, tools }]]),
  }
}

async function verdictOf(
  one: World,
  more: { mode?: RunMode; grant?: boolean } = {},
): Promise<Verdict> {
  const tools = [
    customTool({ approval: async () => one.answer }),
    customTool({
      name: 'shell',
      command: ({ command }) => ({ kind: 'shell', script: String(command), cwd: '' }),
    }),
    customTool({
      name: 'exec',
      command: ({ argv }) => ({ kind: 'exec', argv: argv as string[], cwd: '' }),
    }),
  ]
  const judgement = await judgeBy(
    policyOf(one),
    { ...one.call, tools },
    {
      commandHost,
      runMode: more.mode ?? 'prompt',
      findGrant: async () => (more.grant === true ? { id: 'g', text: 'granted' } : null),
    },
  )
  return judgement.verdict
}

/** What could not run is refused as surely as what is blocked. */
const strictness: Readonly<Record<Verdict, number>> = {
  preApproved: 0,
  ask: 1,
  blocked: 2,
  error: 2,
}
const isRefused = (verdict: Verdict): boolean => strictness[verdict] === 2

/** So that a property that holds of nothing cannot pass: of each there are dozens. */
const seen = new Map<string, number>()
const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1)

// Rules: product.md 1, 2
test('no overlay, wherever it stands, loosens a verdict, by itself or under a mode or a grant', async () => {
  await fc.assert(
    fc.asyncProperty(
      world,
      overlay,
      fc.nat(3),
      fc.constantFrom<RunMode>('prompt', 'strict', 'approve_all'),
      fc.boolean(),
      async (one, added, at, mode, grant) => {
        const tightened = { ...one, overlays: one.overlays.toSpliced(at, 0, added) }
        const before = await verdictOf(one)
        const after = await verdictOf(tightened)
        expect(strictness[after]).toBeGreaterThanOrEqual(strictness[before])
        if (after !== before) count(`${before} becomes ${after}`)
        if (before === 'preApproved') count(`${one.call.tool} pre-approved`)
        // A mode or a grant may answer an ask; it answers no block that an overlay made.
        if (isRefused(after)) expect(await verdictOf(tightened, { mode, grant })).toBe(after)
        if (before === 'ask') expect(after).not.toBe('preApproved')
      },
    ),
    runs,
  )
  for (const change of [
    'preApproved becomes ask',
    'preApproved becomes blocked',
    'ask becomes blocked',
    'shell pre-approved',
    'exec pre-approved',
    'write_file pre-approved',
  ]) {
    expect(seen.get(change) ?? 0, change).toBeGreaterThan(0)
  }
})

// Rules: product.md 1, 10, 21
test('no mode, no grant and no routing turns a block or an error into a run', async () => {
  await fc.assert(
    fc.asyncProperty(world, fc.array(routing, { maxLength: 3 }), async (one, entries) => {
      const plain = await verdictOf({ ...one, routing: [] })
      for (const mode of ['prompt', 'strict', 'approve_all'] as const) {
        for (const grant of [false, true]) {
          const after = await verdictOf({ ...one, routing: entries }, { mode, grant })
          if (isRefused(plain)) expect(after, `${mode}, grant ${grant}`).toBe(plain)
          // What asks nobody is no business of modes and grants.
          if (plain === 'preApproved' && entries.length === 0) expect(after).toBe(plain)
        }
      }
      count(`plain ${plain}`)
    }),
    { numRuns: 700 },
  )
  for (const verdict of ['preApproved', 'ask', 'blocked', 'error']) {
    expect(seen.get(`plain ${verdict}`) ?? 0, verdict).toBeGreaterThan(0)
  }
})

test('an overlay that asks or blocks every call leaves nothing pre-approved but what a person or the mode answers', async () => {
  await fc.assert(
    fc.asyncProperty(world, fc.constantFrom('ask', 'blocked'), async (one, approval) => {
      const all = { when: emptyWhen(), consent: said(approval) }
      const guarded = { ...one, overlays: [...one.overlays, all] }
      expect(await verdictOf(guarded)).not.toBe('preApproved')
      const under = await verdictOf(guarded, { mode: 'approve_all', grant: true })
      if (approval === 'blocked') expect(isRefused(under)).toBe(true)
      expect(await verdictOf(guarded, { mode: 'strict', grant: true })).not.toBe('preApproved')
    }),
    runs,
  )
})

/** Scripts, and the same computed: no reading of the text finds what it runs. */
const computed = fc.constantFrom(
  ['git push', 'git $(rev <<<hsup)'],
  ['git push', '$(rev <<<"hsup tig")'],
  ['git push', 'base64 -d x | sh'],
  ['rm -rf scratch', 'eval "$x"'],
  ['rm -rf scratch', 'rev x | xargs rm'],
  ['cat notes/a.md', 'rev y > x; sh x'],
  ['ls', '$x'],
  ['env git push', 'PATH=. ls2 push'],
)

// Rules: product.md 1, 21
test('no mode runs what is blocked because it has to be computed to be seen', async () => {
  await fc.assert(
    fc.asyncProperty(world, computed, async (one, [plain, hidden]) => {
      const said = { ...one, call: { tool: 'shell', input: { command: plain } as JsonObject } }
      if (!isRefused(await verdictOf(said))) return
      const made = { ...one, call: { tool: 'shell', input: { command: hidden } as JsonObject } }
      const under = await verdictOf(made, { mode: 'approve_all' })
      expect(under).not.toBe('preApproved')
      count(`computed ${under}`)
    }),
    runs,
  )
  expect(seen.get('computed ask') ?? 0).toBeGreaterThan(0)
})

// Rules: product.md 21
test('the strict mode runs nothing that would not have run unasked', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (one) => {
      const plain = await verdictOf(one)
      const strict = await verdictOf(one, { mode: 'strict', grant: true })
      expect(strict === 'preApproved').toBe(plain === 'preApproved')
    }),
    runs,
  )
})

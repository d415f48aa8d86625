import fc from 'fast-check'
import type { JsonObject } from '#domain/json/json.ts'
import type { Approval, Verdict } from '#domain/policy/verdict.ts'
import { projectWith } from '#test/harness/fixtures/judging.ts'
import type { Consent, Overlay, RoutingEntry, When } from '../routing.ts'
import type { Policy } from '../policy.ts'
import type { ShellPolicy, Zone } from '../worker-definition.ts'

const base = projectWith('zones: []')
const worker = base.workers.get('scribe')

/** A call that could not run is refused like one that is blocked. */
export const strictness = {
  preApproved: 0,
  ask: 1,
  blocked: 2,
  error: 2,
} as const satisfies Readonly<Record<Verdict, number>>

/** A consent as a file has it. */
export const consentOf = (approval: Consent['approval']): Consent => ({
  approval,
  reason: null,
  source: 'generated:1',
})
const word = fc
  .constantFrom('preApproved', 'preApproved', 'preApproved', 'ask', 'blocked')
  .map(consentOf)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
const many = <T>(arbitrary: fc.Arbitrary<T>) =>
  maybe(fc.array(arbitrary, { minLength: 1, maxLength: 2 }))

const path = fc.constantFrom(
  'notes/a.md',
  'scratch/x.txt',
  'a/.env',
  '.git/config',
  'workers/z.md',
  'c.txt',
)
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
  cue: many(fc.constantFrom('opens_network', 'deletes_untracked')),
})
/** An overlay of the organisation, often one about every call. */
export const overlay: fc.Arbitrary<Overlay> = fc.record({
  when: fc.oneof(
    fc.constant({ ...emptyWhen() }),
    when.map((one) => ({ ...one, cue: null })),
  ),
  consent: fc.constantFrom('ask', 'blocked').map(consentOf),
})
/** An entry of routing. */
export const routing: fc.Arbitrary<RoutingEntry> = fc.record({
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
  fc.constant({ tool: 'search_files', input: { pattern: 'x', path: 'a' } }),
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
/** A policy of its own with a call of it, and what its tool says. */
export const world = fc.record({
  zones: fc.array(zone, { minLength: 1, maxLength: 3 }),
  shell: fc.option(shell, { nil: null, freq: 9 }),
  setting: maybe(word),
  overlays: fc.array(overlay, { maxLength: 1 }),
  routing: fc.array(routing, { maxLength: 3 }),
  answer: fc.constantFrom<Approval | null>('preApproved', 'ask', { blocked: 'no' }, null),
  call,
})
export type World = typeof world extends fc.Arbitrary<infer T> ? T : never

/** Conditions that every call meets. */
export function emptyWhen(): When {
  return { tool: null, path: null, worker: null, queue: null, command: null, risk: null, cue: null }
}

/** The policy of a world. */
export function policyOf(one: World): Policy {
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

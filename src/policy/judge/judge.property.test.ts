import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '#domain/json/json.ts'
import type { Approval } from '#domain/policy/verdict.ts'
import { customTool, inUsualWorkspace, projectWith } from '#test/harness/fixtures/judging.ts'
import { strictness } from './generated-policies.fixture.ts'

const { judgeBy } = inUsualWorkspace()

const word = fc.constantFrom('preApproved', 'ask', 'blocked')
const path = fc.constantFrom(
  'a/x.txt',
  'a/b/y.txt',
  'a/b/.env',
  'a/.git/config',
  'workers/z.md',
  'c.txt',
)
const call: fc.Arbitrary<{ tool: string; input: JsonObject }> = fc.oneof(
  path.map((at) => ({ tool: 'write_file', input: { path: at, content: '' } })),
  path.map((at) => ({ tool: 'read_file', input: { path: at } })),
  fc.tuple(path, path).map(([from, to]) => ({ tool: 'move_file', input: { from, to } })),
  fc.constant({ tool: 'search_files', input: { pattern: 'x', path: 'a' } }),
  fc.constant({ tool: 'notify', input: {} }),
)
const zone = fc.record({
  root: fc.constantFrom('.', 'a', 'a/b'),
  mode: fc.constantFrom('ro', 'rw'),
  read: word,
  write: word,
  delete: word,
  guarded: fc.boolean(),
})
const overlay = fc.record({
  approval: fc.constantFrom('ask', 'blocked'),
  tool: fc.option(fc.constantFrom('write_file', '*_file', 'notify', 'search_files'), { nil: null }),
  path: fc.option(fc.constantFrom('a/**', '**/*.txt', 'c.txt'), { nil: null }),
})
const setting = fc.option(word, { nil: null })
const world = fc.record({
  zones: fc.array(zone, { minLength: 1, maxLength: 4 }),
  overlays: fc.array(overlay, { maxLength: 3 }),
  setting,
  answer: fc.constantFrom('preApproved', 'ask', { blocked: 'no' }, null),
  call,
})
type World = typeof world extends fc.Arbitrary<infer T> ? T : never

function frontOf({ zones, setting: tool }: World): string {
  const lines = zones.map(
    (one, index) =>
      `  - { name: z${index}, root: ${one.root}, mode: ${one.mode}, approval: { read: ${one.read}, write: ${one.write}, delete: ${one.delete} }${one.guarded ? ', protected: ["**/.env"]' : ''} }`,
  )
  return `zones:\n${lines.join('\n')}\ntools: { notify: ${tool === null ? '{}' : `{ approval: ${tool} }`} }`
}

function configOf(overlays: World['overlays']): string {
  const lines = overlays.map((one) => {
    const when = [
      one.tool === null ? '' : `tool: "${one.tool}"`,
      one.path === null ? '' : `path: "${one.path}"`,
    ].filter((text) => text !== '')
    return `  - { when: { ${when.join(', ')} }, approval: ${one.approval} }`
  })
  const list = lines.length === 0 ? '' : `overlays:\n${lines.join('\n')}\n`
  return `defaults: { queue: platform }\n${list}`
}

async function verdictOf(
  one: World,
  more: { mode?: 'strict' | 'approve_all'; grant?: boolean; overlays?: World['overlays'] } = {},
) {
  const project = projectWith(frontOf(one), configOf(more.overlays ?? one.overlays))
  const tools = [customTool({ approval: async () => one.answer as Approval | null })]
  return judgeBy(
    project,
    { ...one.call, tools },
    {
      runMode: more.mode ?? 'prompt',
      findGrant: async () => (more.grant === true ? { id: 'g', text: 'granted' } : null),
    },
  )
}

const runs = { numRuns: 60 }

// Rules: product.md 1, 10, 21
test('no mode and no grant lets a blocked or erroneous call run', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (one) => {
      const plain = await verdictOf(one)
      fc.pre(plain.verdict === 'blocked' || plain.verdict === 'error')
      for (const mode of ['strict', 'approve_all'] as const) {
        expect((await verdictOf(one, { mode, grant: true })).verdict).toBe(plain.verdict)
      }
      expect((await verdictOf(one, { grant: true })).verdict).toBe(plain.verdict)
    }),
    runs,
  )
})

// Rules: product.md 2
test('adding an overlay never makes a verdict milder', async () => {
  await fc.assert(
    fc.asyncProperty(world, overlay, fc.nat(3), async (one, added, at) => {
      const before = await verdictOf(one)
      const overlays = one.overlays.toSpliced(at, 0, added)
      const after = await verdictOf(one, { overlays })
      expect(strictness[after.verdict]).toBeGreaterThanOrEqual(strictness[before.verdict])
    }),
    runs,
  )
})

// Rules: product.md 2
test('the verdict does not depend on the order of zones or overlays', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (one) => {
      const { verdict } = await verdictOf(one)
      const other = { ...one, zones: one.zones.toReversed(), overlays: one.overlays.toReversed() }
      expect((await verdictOf(other)).verdict).toBe(verdict)
    }),
    runs,
  )
})

// Rules: product.md 2
test('the strictest of tool, worker file and overlays wins', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (one) => {
      const notify = { ...one, call: { tool: 'notify', input: {} } }
      const approvals = [
        one.setting,
        typeof one.answer === 'object' && one.answer !== null ? 'blocked' : one.answer,
        ...one.overlays
          .filter((each) => each.path === null && (each.tool === null || each.tool === 'notify'))
          .map((each) => each.approval),
      ].filter((each) => each !== null)
      const expected = ['blocked', 'ask', 'preApproved'].find((each) => approvals.includes(each))
      expect((await verdictOf(notify)).verdict).toBe(expected ?? 'ask')
    }),
    runs,
  )
})

// Rules: security.md 8
test('a protected name is never pre-approved, and Countersign’s own files are never asked about', async () => {
  const guarded = fc.constantFrom('a/b/.env', 'a/.git/config', 'workers/z.md')
  await fc.assert(
    fc.asyncProperty(world, guarded, async (one, at) => {
      const write = { ...one, call: { tool: 'write_file', input: { path: at, content: '' } } }
      const { verdict } = await verdictOf(write)
      const allowed = ['blocked', 'error', ...(at.startsWith('workers/') ? [] : ['ask'])]
      expect(allowed).toContain(verdict)
    }),
    runs,
  )
})

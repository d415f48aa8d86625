import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { JsonObject } from '#domain/json/json.ts'
import type { RunMode, Verdict } from '#domain/policy/verdict.ts'
import { commandTool, customTool, inUsualWorkspace } from '#test/harness/fixtures/judging.ts'
import {
  emptyWhen,
  overlay,
  policyOf,
  routing,
  consentOf,
  world,
  type World,
  strictness,
} from './generated-policies.fixture.ts'
import { plainHost } from '../shell/judging.fixture.ts'

/** Cases of each property: a policy, a call, and what is laid over or granted. */
const runs = { numRuns: 1500 }

vi.setConfig({ testTimeout: 180_000 })

const { judgeBy } = inUsualWorkspace()

async function verdictOf(
  one: World,
  more: { mode?: RunMode; grant?: boolean } = {},
): Promise<Verdict> {
  const tools = [
    customTool({ approval: async () => one.answer }),
    commandTool('shell'),
    commandTool('exec'),
  ]
  const judgement = await judgeBy(
    policyOf(one),
    { ...one.call, tools },
    {
      commandHost: plainHost,
      runMode: more.mode ?? 'prompt',
      findGrant: async () => (more.grant === true ? { id: 'g', text: 'granted' } : null),
    },
  )
  return judgement.verdict
}

/** A call that could not run is refused like one that is blocked. */
const isRefused = (verdict: Verdict): boolean => strictness[verdict] === 2

/** A property must not pass for lack of cases: there are dozens of each kind. */
const counts = new Map<string, number>()
const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1)

// Rules: product.md 1, 2
test('no overlay at any place makes a verdict milder, alone or with a mode or a grant', async () => {
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
        // A mode or a grant may answer `ask`, but never lifts a block of an overlay.
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
    expect(counts.get(change) ?? 0, change).toBeGreaterThan(0)
  }
})

// Rules: product.md 1, 10, 21
test('no mode, no grant and no routing lets a blocked or erroneous call run', async () => {
  await fc.assert(
    fc.asyncProperty(world, fc.array(routing, { maxLength: 3 }), async (one, entries) => {
      const plain = await verdictOf({ ...one, routing: [] })
      for (const mode of ['prompt', 'strict', 'approve_all'] as const) {
        for (const grant of [false, true]) {
          const after = await verdictOf({ ...one, routing: entries }, { mode, grant })
          if (isRefused(plain)) expect(after, `${mode}, grant ${grant}`).toBe(plain)
          // Modes and grants do not apply to a call that is pre-approved.
          if (plain === 'preApproved' && entries.length === 0) expect(after).toBe(plain)
        }
      }
      count(`plain ${plain}`)
    }),
    { numRuns: 700 },
  )
  for (const verdict of ['preApproved', 'ask', 'blocked', 'error']) {
    expect(counts.get(`plain ${verdict}`) ?? 0, verdict).toBeGreaterThan(0)
  }
})

test('with an overlay that asks or blocks for every call, only a person or the mode lets a call run', async () => {
  await fc.assert(
    fc.asyncProperty(world, fc.constantFrom('ask', 'blocked'), async (one, approval) => {
      const all = { when: emptyWhen(), consent: consentOf(approval) }
      const guarded = { ...one, overlays: [...one.overlays, all] }
      expect(await verdictOf(guarded)).not.toBe('preApproved')
      const under = await verdictOf(guarded, { mode: 'approve_all', grant: true })
      if (approval === 'blocked') expect(isRefused(under)).toBe(true)
      expect(await verdictOf(guarded, { mode: 'strict', grant: true })).not.toBe('preApproved')
    }),
    runs,
  )
})

/** Scripts, and the same scripts as computed texts, in which no analysis finds what runs. */
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
test('no mode runs a text that may hide a blocked command', async () => {
  await fc.assert(
    fc.asyncProperty(world, computed, async (one, [plain, hidden]) => {
      const plainCall = { ...one, call: { tool: 'shell', input: { command: plain } as JsonObject } }
      if (!isRefused(await verdictOf(plainCall))) return
      const made = { ...one, call: { tool: 'shell', input: { command: hidden } as JsonObject } }
      const under = await verdictOf(made, { mode: 'approve_all' })
      expect(under).not.toBe('preApproved')
      count(`computed ${under}`)
    }),
    runs,
  )
  expect(counts.get('computed ask') ?? 0).toBeGreaterThan(0)
})

// Rules: product.md 21
test('the strict mode runs only calls that would run without being asked about', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (one) => {
      const plain = await verdictOf(one)
      const strict = await verdictOf(one, { mode: 'strict', grant: true })
      expect(strict === 'preApproved').toBe(plain === 'preApproved')
    }),
    runs,
  )
})

// Rules: product.md 2
test('the verdict does not depend on the order of zones or overlays', async () => {
  await fc.assert(
    fc.asyncProperty(world, fc.array(overlay, { maxLength: 3 }), async (one, overlays) => {
      const verdict = await verdictOf({ ...one, overlays })
      const other = { ...one, zones: one.zones.toReversed(), overlays: overlays.toReversed() }
      expect(await verdictOf(other)).toBe(verdict)
    }),
    { numRuns: 300 },
  )
})

/** An overlay for one tool, or for all. */
const toolOverlay = fc.record({
  tool: fc.constantFrom<readonly string[] | null>(null, ['notify'], ['write_file']),
  approval: fc.constantFrom('ask', 'blocked'),
})

// Rules: product.md 2
test('the strictest of tool, worker file and overlays wins', async () => {
  await fc.assert(
    fc.asyncProperty(world, fc.array(toolOverlay, { maxLength: 3 }), async (one, over) => {
      const approvals = [
        one.setting?.approval,
        typeof one.answer === 'object' && one.answer !== null ? 'blocked' : one.answer,
        ...over.flatMap((each) => (each.tool?.includes('write_file') ? [] : [each.approval])),
      ]
      const overlays = over.map(({ tool, approval }) => ({
        when: { ...emptyWhen(), tool },
        consent: consentOf(approval),
      }))
      const expected = ['blocked', 'ask', 'preApproved'].find((each) =>
        approvals.some((approval) => approval === each),
      )
      const notify = { ...one, overlays, call: { tool: 'notify', input: {} } }
      expect(await verdictOf(notify)).toBe(expected ?? 'ask')
    }),
    { numRuns: 300 },
  )
})

// Rules: security.md 8
test('a protected name is never pre-approved, and Countersign’s own files are never asked about', async () => {
  const guarded = fc.constantFrom('a/.env', '.git/config', 'workers/z.md')
  await fc.assert(
    fc.asyncProperty(world, guarded, async (one, at) => {
      const call = { tool: 'write_file', input: { path: at, content: '' } }
      const allowed = ['blocked', 'error', ...(at.startsWith('workers/') ? [] : ['ask'])]
      expect(allowed).toContain(await verdictOf({ ...one, call }))
    }),
    { numRuns: 300 },
  )
})

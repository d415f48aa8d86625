import fc from 'fast-check'
import { expect, test } from 'vitest'
import { projectWith } from '#test/harness/fixtures/judging.ts'
import { decidingZones } from '../globs/zones-of-path.ts'
import type { WorkerDefinition, Zone } from '../worker-definition.ts'
import { narrowPolicy } from './narrow-worker.ts'

const project = projectWith('zones: [{ name: all, root: ., mode: rw }]')

/** The zones of a worker with `child` below one with `parent`. */
function zonesBelow(child: readonly Zone[], parent: readonly Zone[]): readonly Zone[] {
  const scribe = project.workers.get('scribe') as WorkerDefinition
  const workers = new Map([
    ['scribe', { ...scribe, zones: child }],
    ['above', { ...scribe, zones: parent }],
  ])
  return (
    narrowPolicy({ ...project, workers }, 'scribe', ['above']).workers.get('scribe')?.zones ?? []
  )
}

function zone(root: string, more: Partial<Zone> = {}): Zone {
  const name = root === '' ? 'all' : root
  const rest = {
    mode: 'rw',
    suffixes: null,
    approval: {},
    protected: [],
    source: 'w.md:1',
  } as const
  return { name, root, ...rest, ...more }
}

const asks = { approval: 'ask', reason: null, source: 'w.md:2' } as const
const blocked = { approval: 'blocked', reason: 'kept', source: 'p.md:3' } as const

/** Whether zones let a file be read and written, as the judge decides it (product.md 1). */
function may(zones: readonly Zone[], path: string): { read: boolean; write: boolean } {
  const deciding = decidingZones(zones, path)
  const named = deciding.every(
    ({ suffixes }) => suffixes === null || suffixes.some((suffix) => path.endsWith(suffix)),
  )
  const read = deciding.length > 0 && named
  return { read, write: read && deciding.every(({ mode }) => mode === 'rw') }
}

const anyZones = fc.array(
  fc.record({
    root: fc.constantFrom('', 'a', 'a/b', 'a/b/c', 'a/d', 'e'),
    mode: fc.constantFrom('ro' as const, 'rw' as const),
    suffixes: fc.constantFrom(null, ['.md'], ['.b.md', '.txt'], ['.txt'], []),
  }),
  { maxLength: 5 },
)
const anyPath = fc
  .tuple(
    fc.constantFrom('', 'a/', 'a/b/', 'a/b/c/', 'a/d/', 'e/', 'f/', 'ab/'),
    fc.constantFrom('x.md', 'x.b.md', 'x.txt', 'x'),
  )
  .map((parts) => parts.join(''))

// Rules: product.md 23
test('narrowed zones allow for a file exactly what both the child and the parent allow', () => {
  fc.assert(
    fc.property(anyZones, anyZones, anyPath, (ofChild, ofParent, path) => {
      const child = ofChild.map((one, index) => zone(one.root, { ...one, name: `c${index}` }))
      const parent = ofParent.map((one, index) => zone(one.root, { ...one, name: `p${index}` }))
      const [one, other, both] = [child, parent, zonesBelow(child, parent)].map((zones) =>
        may(zones, path),
      )
      expect(both).toEqual({
        read: one?.read === true && other?.read === true,
        write: one?.write === true && other?.write === true,
      })
    }),
    { numRuns: 3000 },
  )
})

test('consent is the child’s own, but what is blocked for the parent is blocked for the child', () => {
  const child = [zone('', { approval: { write: asks } })]
  const parent = [zone('kept', { approval: { write: blocked, read: asks } })]
  const [narrowed, ...others] = zonesBelow(child, parent)
  expect(others).toEqual([])
  expect(narrowed).toMatchObject({ name: 'all', root: 'kept', approval: { write: blocked } })
  expect(narrowed?.approval.read).toBeUndefined()
})

test('a protected name asks only where both list it for the same folder', () => {
  const listed = { protected: ['.github/**'] }
  expect(zonesBelow([zone('', listed)], [zone('', listed)])[0]?.protected).toEqual(['.github/**'])
  expect(zonesBelow([zone('', listed)], [zone('')])[0]?.protected).toEqual([])
  expect(zonesBelow([zone('', listed)], [zone('a', listed)])[0]?.protected).toEqual([])
})

test('below a worker that no longer exists nothing may be touched, and a root keeps its policy unchanged', () => {
  expect(narrowPolicy(project, 'scribe', ['gone']).workers.get('scribe')?.zones).toEqual([])
  expect(narrowPolicy(project, 'scribe', [])).toBe(project)
})

import { expect, test } from 'vitest'
import type { Access } from '#domain/tools/access.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { TurnProposals } from './turn-proposals.ts'

const refuse = async (): Promise<never> => {
  throw new Error('the base is not read here')
}
const base: Workspace = {
  root: '/base',

  hidden: [],
  state: async () => ({ kind: 'absent', bytes: 0 }),
  read: refuse,
  copy: refuse,
  list: refuse,
  write: refuse,
  remove: refuse,
  move: refuse,
}

function write(path: string): Access[] {
  return [{ operation: 'write', path, target: 'file' }]
}

/** What a call touches, as its tool says. */
function reading(accesses: Access[]) {
  return async () => accesses
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text)
}

// Rules: product.md 15
test('a call that touches a path written by earlier ones is shown on top of the last of them', async () => {
  const proposals = new TurnProposals(base)
  proposals.add(1, write('notes/a.md'), async () => new Map([['notes/a.md', bytes('one')]]))
  proposals.add(2, write('notes/a.md'), async () => new Map([['notes/a.md', bytes('two')]]))
  const assumed = await proposals.below(reading(write('notes/a.md')))
  expect(assumed.assumes).toBe(2)
  const found = await assumed.workspace.read('notes/a.md', { maxBytes: 10 })
  expect(Buffer.from(found).toString()).toBe('two')
})

test('a call that touches another path sees the workspace unchanged, and nothing is computed', async () => {
  const proposals = new TurnProposals(base)
  proposals.add(1, write('notes/a.md'), refuse)
  const assumed = await proposals.below(reading(write('notes/ab.md')))
  expect(assumed).toMatchObject({ assumes: null })
  expect(assumed.workspace).toBe(base)
  expect([...assumed.earlierWrites]).toEqual(['notes/a.md'])
})

test.each([['notes'], [''], ['notes/a.md/below']])(
  'a list or a write above or below a proposed path (%j) is shown on top of it',
  async (path) => {
    const proposals = new TurnProposals(base)
    proposals.add(3, write('notes/a.md'), async () => new Map([['notes/a.md', bytes('x')]]))
    const access: Access = { operation: 'read', path, target: 'directory' }
    expect((await proposals.below(reading([access]))).assumes).toBe(3)
  },
)

test('reads propose nothing, so that a later call is not parsed for what it touches', async () => {
  const proposals = new TurnProposals(base)
  proposals.add(1, [{ operation: 'read', path: 'a', target: 'file' }], refuse)
  expect((await proposals.below(refuse)).assumes).toBeNull()
})

import { replaceEqualDeep } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import type { ChangeSet } from '#api/schemas/requests/change-set.ts'
import { entriesOf, type ChangeEntry, type PresentedRequest } from './change-entries.ts'
import { treeOf, type TreeNode } from './file-tree.ts'
import { planDecisions, type ChosenCall } from './plan-decisions.ts'

const request = (fields: Partial<PresentedRequest> = {}) =>
  ({
    id: 'r',
    number: 7,
    digest: 'sha256:d',
    revision: 2,
    seen: 'sha256:p',
    state: 'pending',
    kind: 'tool_call',
    risk: 'medium',
    eligibility: { canDecide: true, reason: null },
    allowedDecisions: ['approve', 'deny'],
    alike: { same: 0, similar: 0, again: 0 },
    askedBeforeRestore: false,
    signatureRequired: false,
    ...fields,
  }) as PresentedRequest
const call = (fields: Partial<ChosenCall>): ChosenCall => ({
  request: request(),
  choice: 'approve',
  reason: '',
  seen: true,
  changed: false,
  ...fields,
})

// Rules: product.md 39, 40
test('a plan sends approvals with the digest that was shown and denials with their reason, and skips the calls without a choice', () => {
  const { decisions, obstacles } = planDecisions([
    call({}),
    call({ choice: 'deny', reason: ' wrong file ', seen: false }),
    call({ choice: 'leave' }),
  ])
  const bound = { requestId: 'r', digest: 'sha256:d', revision: 2 }
  expect(decisions).toEqual([
    { ...bound, decision: 'approve', seen: 'sha256:p' },
    { ...bound, decision: 'deny', then: 'continue', reason: 'wrong file' },
  ])
  expect(obstacles).toEqual([])
})

test.each([
  ['was not on the screen', { seen: false }, /on the screen/],
  ['changed', { changed: true }, /changed/],
  ['is of high risk', { request: request({ risk: 'high' }) }, /High risk/],
  ['needs a signature', { request: request({ signatureRequired: true }) }, /signature/],
  ['was opened before a restore', { request: request({ askedBeforeRestore: true }) }, /restore/],
  ['is decided', { request: request({ state: 'denied', decidedBy: null }) }, /Denied/],
])('an approval of what %s is not sent, and says why', (_, fields, why) => {
  const { decisions, obstacles } = planDecisions([call(fields)])
  expect(decisions).toEqual([])
  expect(obstacles[0]?.why).toMatch(why)
})

test('a denial of high risk is sent once it has a reason', () => {
  const high = request({ risk: 'high' })
  expect(planDecisions([call({ request: high, choice: 'deny' })]).decisions).toEqual([])
  const denial = call({ request: high, choice: 'deny', reason: 'no' })
  expect(planDecisions([denial]).decisions).toHaveLength(1)
})

test('an answer that changes one call keeps the entries of the others, so that their cards are not drawn again', () => {
  const loaded = (title: string): Pick<ChangeSet, 'calls'> => ({
    calls: ['read_file', title].map((each, index) => ({
      callId: `c${index}`,
      position: index + 1,
      tool: 'read_file',
      title: each,
      verdict: 'preApproved' as const,
      attachments: [],
    })),
  })
  const before = loaded('one')
  const [kept, changed] = entriesOf(before)
  // As react-query joins an answer with the one before.
  const after = entriesOf(replaceEqualDeep(before, loaded('two')))
  expect(after[0]).toBe(kept)
  expect(after[1]).not.toBe(changed)
  expect(after[1]?.title).toBe('two')
})

test('the tree joins lone folders and keeps the order of the calls, also for names like its own', () => {
  const entries = ['src/a/one.ts', null, 'src/a/two.ts', 'src/__proto__/x', 'src/a'].map(
    (path, index) => ({ key: `k${index}`, path, title: `call ${index}` }) as ChangeEntry,
  )
  const words = (nodes: readonly TreeNode[]): unknown[] =>
    nodes.map((node) => (node.kind === 'entry' ? node.name : [node.name, words(node.nodes)]))
  expect(words(treeOf(entries))).toEqual([
    ['src', [['a', ['one.ts', 'two.ts']], ['__proto__', ['x']], 'a']],
    'call 1',
  ])
})

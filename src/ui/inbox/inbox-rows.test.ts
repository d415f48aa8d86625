import { expect, test } from 'vitest'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { planBulk } from './bulk/plan-bulk.ts'
import { requestsQueryOf, withFilter } from './inbox-filters.ts'
import {
  groupRows,
  layFreshRows,
  putDecidableFirst,
  turnWords,
  type FreshList,
  type InboxRow,
  type OwnActs,
} from './inbox-rows.ts'

function item(id: string, more: Partial<RequestItem> = {}): RequestItem {
  const base = {
    id,
    state: 'pending',
    runId: null,
    turn: null,
    batch: null,
    kind: 'tool_call',
    risk: 'low',
    tool: 'write_file',
    rule: { id: 'zone:notes.write', text: '', source: null },
    eligibility: { canDecide: true, reason: null },
  }
  return { ...base, ...more } as RequestItem
}
const ids = (items: readonly RequestItem[]): string[] => items.map((one) => one.id)
const none: OwnActs = { requested: new Set(), decided: new Set() }
const whole = (...listed: string[]): FreshList => ({
  items: listed.map((id) => item(id)),
  hasMore: false,
})
const rows = ['a', 'b', 'c'].map((id) => ({
  item: item(id),
  isGone: false,
  isDecidable: true,
}))

test('new rows wait behind the bar and nothing moves', () => {
  const laid = layFreshRows(rows, whole('new', 'a', 'b', 'c'), none)
  expect(ids(laid.rows.map((row) => row.item))).toEqual(['a', 'b', 'c'])
  expect(ids(laid.waiting)).toEqual(['new'])
})

test('a row that was decided elsewhere stays in its place, marked gone', () => {
  const laid = layFreshRows(rows, whole('a', 'c'), none)
  expect(laid.rows.map((row) => row.isGone)).toEqual([false, true, false])
})

test('the last rows of a list that has more are pushed out by new ones, and are not marked gone', () => {
  const pushed = { ...whole('new', 'a', 'b'), hasMore: true }
  expect(layFreshRows(rows, pushed, none).rows.map((row) => row.isGone)).toEqual([
    false,
    false,
    false,
  ])
  const decided = { ...whole('new', 'a'), hasMore: true }
  expect(layFreshRows(rows, decided, none).rows.map((row) => row.isGone)).toEqual([
    false,
    true,
    false,
  ])
  const withoutNew = { ...whole('a', 'b'), hasMore: true }
  expect(layFreshRows(rows, withoutNew, none).rows.map((row) => row.isGone)).toEqual([
    false,
    false,
    true,
  ])
})

test('the rows of a further page that the person loaded are shown at once', () => {
  const laid = layFreshRows(rows, whole('a', 'b', 'c', 'd'), {
    ...none,
    requested: new Set(['d']),
  })
  expect(ids(laid.rows.map((row) => row.item))).toEqual(['a', 'b', 'c', 'd'])
  expect(laid.waiting).toEqual([])
})

test('an empty list shows new rows at once', () => {
  expect(layFreshRows([], whole('a'), none).rows).toHaveLength(1)
})

test('a row that the person decided in the list leaves at once', () => {
  const own = { ...none, decided: new Set(['b']) }
  const laid = layFreshRows(rows, whole('a'), own)
  expect(laid.rows.map((row) => [row.item.id, row.isGone])).toEqual([
    ['a', false],
    ['c', true],
  ])
})

const eligibility = { canDecide: false, reason: 'you started this run' }
const turn = { runId: 'run', turn: 1, batch: { position: 1, size: 2 } } as Partial<RequestItem>
const groupsOf = (laid: readonly InboxRow[]): string[][] =>
  putDecidableFirst(groupRows(laid)).map((group) => ids(group.rows.map((row) => row.item)))
const orderOf = (laid: readonly InboxRow[]): string[] => groupsOf(laid).flat()

test('what the person can decide comes first, a turn together, and no row moves once it is decided', () => {
  const [other, beside] = [item('other', { eligibility }), item('beside', { ...turn, eligibility })]
  const items = [other, beside, item('own', turn), item('last')]
  const first = layFreshRows([], { items, hasMore: false }, none)
  expect(orderOf(first.rows)).toEqual(['beside', 'own', 'last', 'other'])
  const left = { items: [other, beside, item('last', { eligibility })], hasMore: false }
  const later = layFreshRows(first.rows, left, { ...none, decided: new Set(['own']) })
  expect(orderOf(later.rows)).toEqual(['beside', 'last', 'other'])
})

test('a call of a further page joins no group above other rows, and they do not move', () => {
  const [other, one, two] = [item('other', { eligibility }), item('one', turn), item('two', turn)]
  const first = layFreshRows([], { items: [other, one], hasMore: true }, none)
  expect(groupsOf(first.rows)).toEqual([['one'], ['other']])
  const own = { ...none, requested: new Set(['two']) }
  const more = layFreshRows(first.rows, { items: [other, one, two], hasMore: false }, own)
  expect(groupsOf(more.rows)).toEqual([['one'], ['other'], ['two']])
})

test('a group says how many calls its turn has, also where not all of them wait in the list', () => {
  const call = (position: number, size: number, id = `call ${position}`): InboxRow => ({
    item: item(id, { ...turn, batch: { position, size } }),
    isGone: false,
    isDecidable: true,
  })
  const file = call(1, 2, 'its file')
  expect(turnWords([call(1, 2), file, call(2, 2)])).toBe('2 calls of one turn')
  expect(turnWords([call(1, 2), file])).toBe('1 of 2 calls of one turn')
  const loaded = Array.from({ length: 83 }, (_, index) => call(index + 1, 100))
  expect(turnWords(loaded)).toBe('83 of 100 calls of one turn')
})

test('many approvals together are alike and at most medium risk; each exclusion says why', () => {
  const plan = planBulk('approve', [
    item('a'),
    item('b', { risk: 'medium' }),
    item('c', { risk: 'high' }),
    item('d', { tool: 'delete_file' }),
    item('e', { rule: { id: 'other', text: '', source: null } }),
    item('f', { eligibility: { canDecide: false, reason: 'you started this run' } }),
    item('g', { state: 'denied' }),
    item('h', { askedBeforeRestore: true }),
  ])
  expect(ids(plan.decided)).toEqual(['a', 'b'])
  expect(plan.excluded.map((one) => one.why)).toEqual([
    'high risk is approved one by one',
    'another tool than write_file',
    'another rule',
    'you started this run',
    'already denied',
    'was opened before a restore, and may have run since',
  ])
})

test('requests that are denied together need not be alike, and may be of high risk', () => {
  const plan = planBulk('deny', [item('a'), item('c', { risk: 'high' }), item('d', { tool: 'x' })])
  expect(ids(plan.decided)).toEqual(['a', 'c', 'd'])
})

test('at most 200 are decided at once', () => {
  const many = Array.from({ length: 201 }, (_, index) => item(String(index)))
  const plan = planBulk('approve', many)
  expect([plan.decided.length, plan.excluded.length]).toEqual([200, 1])
})

test('the address has the names of the API, and unknown ones are not passed on', () => {
  const search = new URLSearchParams('queue=platform&evil=1&risk=')
  expect(requestsQueryOf(search)).toBe('queue=platform&state=pending')
  expect(requestsQueryOf(new URLSearchParams('state=any'))).toBe('')
  expect(requestsQueryOf(new URLSearchParams('mine=true'))).toBe('mine=true')
  expect(withFilter(search, 'queue', '')).toBe('/?evil=1&risk=')
})

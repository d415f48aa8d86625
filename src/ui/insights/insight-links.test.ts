import { expect, test } from 'vitest'
import { listBehind } from './insight-links.ts'

test.each([
  ['queue', 'platform', 'approved', '/?state=approved&queue=platform'],
  ['tool', 'mcp__a__b', 'opened', '/?state=any&tool=mcp__a__b'],
  ['rule', 'zone:notes.write', 'waiting', '/?state=pending&rule=zone%3Anotes.write'],
  ['worker', 'a&b', 'denied', '/?state=denied&q=a%26b'],
  ['worker', '', 'denied', '/?state=denied'],
  ['person', 'id', 'approved', '/audit?actor=id&type=decision.recorded'],
] as const)('a figure by %s of %s leads to what was %s', (by, key, what, path) => {
  expect(listBehind(by, { key }, what)).toBe(path)
})

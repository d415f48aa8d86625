import { afterEach, expect, test, vi } from 'vitest'
import { limitSettings, readLimits } from './limit-settings.ts'

/** Files share a process: the next one that reads the bounds must read the usual ones. */
afterEach(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
})

// Rules: security.md 24
test('a bound that is set holds where it is checked, in the sentence too, and the others stay', async () => {
  vi.stubEnv('COUNTERSIGN_LIMITS', 'editsPerCall=2, scriptBytes=1024 delegationDepth=1')
  vi.resetModules()
  const { limits } = await import('./limits.ts')
  const { textDoubts } = await import('#policy/shell/text/odd-text.ts')
  expect(limits).toMatchObject({ editsPerCall: 2, delegationDepth: 1, callsPerTurn: 100 })
  expect(textDoubts('x'.repeat(1025))).toEqual(['it has 1025 bytes, more than 1 KiB'])
  expect(textDoubts('x'.repeat(1024))).toEqual([])
})

// Rules: security.md 24
test.each([
  ['an unknown name', 'callsPerTurns=1', /"callsPerTurns=1" is not NAME=NUMBER/],
  ['a name of every object', '__proto__=1 ', /is not NAME=NUMBER/],
  ['less than any', 'callsPerTurn=0', /callsPerTurn must be from 1 to 200/],
  ['no bound at all', 'httpBodyBytes=999999999999', /httpBodyBytes must be from/],
  ['no whole number', 'callsPerTurn=1e2', /is not NAME=NUMBER/],
  ['one that is there twice', 'callsPerTurn=1,callsPerTurn=2', /there twice/],
  ['a usual timeout above the longest', 'timeoutMostSeconds=60', /at most timeoutMostSeconds/],
])('%s is refused, and nothing beside it counts', (_, text, problem) => {
  const read = readLimits(`delegationDepth=1 ${text}`)
  expect(read.problem).toMatch(problem)
  expect(read.values.delegationDepth).toBe(limitSettings.delegationDepth.usual)
})

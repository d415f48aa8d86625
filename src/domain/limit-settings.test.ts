import { expect, test } from 'vitest'
import { limitSettings, readLimits } from './limit-settings.ts'

// Rules: security.md 24
test.each([
  ['an unknown name', 'callsPerTurns=1', /"callsPerTurns=1" is not NAME=NUMBER/],
  ['a name of every object', '__proto__=1 ', /is not NAME=NUMBER/],
  ['less than any', 'callsPerTurn=0', /callsPerTurn must be from 1 to 200/],
  ['no bound at all', 'httpBodyBytes=999999999999', /httpBodyBytes must be from/],
  ['no whole number', 'callsPerTurn=1e2', /is not NAME=NUMBER/],
  ['one that is there twice', 'callsPerTurn=1,callsPerTurn=2', /there twice/],
  ['a usual timeout above the longest', 'timeoutMostSeconds=60', /at most timeoutMostSeconds/],
])('%s is refused, and then no setting counts', (_, text, problem) => {
  const read = readLimits(`delegationDepth=1 ${text}`)
  expect(read.problem).toMatch(problem)
  expect(read.values.delegationDepth).toBe(limitSettings.delegationDepth.usual)
})

import { expect, test } from 'vitest'
import { notOffered, withNarrowed } from './narrowed-scopes.ts'

test('each missing scope is listed with its reason, from the narrowest to the widest', () => {
  expect(notOffered('exec', ['once'], { command: 'routing', run: 'tool' })).toEqual([
    { scope: 'run', why: 'exec does not offer it' },
    { scope: 'command', why: 'no routing entry lists it for the whole call' },
  ])
})

test('an offered scope is not listed, and nothing is listed for a person who cannot approve', () => {
  expect(notOffered('read_file', ['once', 'run'], { run: 'share', path: 'path' })).toEqual([
    { scope: 'path', why: 'the call does not just write one file' },
  ])
  expect(notOffered('read_file', [], { path: 'path' })).toEqual([])
})

test('a routing without missing scopes has no such member', () => {
  expect(withNarrowed({})).toEqual({})
})

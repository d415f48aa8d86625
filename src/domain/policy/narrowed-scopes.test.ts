import { expect, test } from 'vitest'
import { notOffered, withNarrowed } from './narrowed-scopes.ts'

test('each scope that is missing is told with its reason, in the order of their width', () => {
  expect(notOffered('exec', ['once'], { command: 'routing', run: 'tool' })).toEqual([
    { scope: 'run', why: 'exec does not offer it' },
    { scope: 'command', why: 'no routing entry lists it for the whole call' },
  ])
})

test('what is offered after all is not told, and nothing at all to who cannot approve', () => {
  expect(notOffered('read_file', ['once', 'run'], { run: 'share', path: 'path' })).toEqual([
    { scope: 'path', why: 'the call does not just write one file' },
  ])
  expect(notOffered('read_file', [], { path: 'path' })).toEqual([])
})

test('a routing that withholds nothing has no such field', () => {
  expect(withNarrowed({})).toEqual({})
})

import { expect, test } from 'vitest'
import { MalformedEvidence } from '../malformed-evidence.ts'
import { bundleFormat, parseBundle } from './evidence-bundle.ts'

const empty = {
  format: bundleFormat,
  requestId: '1',
  requestIds: [],
  checkpoint: '',
  keys: '',
  events: [],
  statements: [],
  revealed: [],
}

test('a bundle is read', () => {
  expect(parseBundle(JSON.stringify(empty))).toEqual(empty)
})

// Of two members some readers take the first one: they would read what nobody verified.
test.each([
  ['at the beginning', (text: string) => `{"events":[{"index":0}],${text.slice(1)}`],
  ['at the end', (text: string) => `${text.slice(0, -1)},"requestId":"1"}`],
  ['in another spelling', (text: string) => `{"event\\u0073":[],${text.slice(1)}`],
])('a member that is there twice, %s, is refused', (_where, twice) => {
  expect(() => parseBundle(twice(JSON.stringify(empty)))).toThrow(MalformedEvidence)
})

test('a consistency proof that is no object is refused', () => {
  const bundle = JSON.stringify({ ...empty, consistency: null })
  expect(() => parseBundle(bundle)).toThrow(MalformedEvidence)
})

// Rules: security.md 13
test.each([
  ['with a character that is not of base64', `${Buffer.alloc(32).toString('base64')}]`],
  ['without its padding', Buffer.alloc(32).toString('base64url')],
  ['that is too short', Buffer.alloc(31).toString('base64')],
])('a proof has one form: a hash %s is refused', (_what, hash) => {
  const events = [{ index: 0, event: '{}', proof: [hash] }]
  expect(() => parseBundle(JSON.stringify({ ...empty, events }))).toThrow(MalformedEvidence)
})

import { expect, test } from 'vitest'
import { MalformedEvidence } from '../malformed-evidence.ts'
import { logPartNames, readLogLines } from './log-files.ts'

const read = (bytes: Buffer): unknown[] =>
  readLogLines({ read: (path) => (path === 'stray/0.jsonl' ? bytes : null) }, logPartNames.stray)

const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`

test('the lines of an export are read', () => {
  expect(read(Buffer.from('"a"\n{"b":1}\n'))).toEqual(['a', { b: 1 }])
  expect(read(Buffer.alloc(0))).toEqual([])
})

// Rules: security.md 13
test.each([
  ['a last line without an end', Buffer.from('"a"\n"b"')],
  ['an empty line', Buffer.from('"a"\n\n')],
  ['a member that is there twice', Buffer.from('{"a":1,"a":2}\n')],
  ['white space that means nothing', Buffer.from('{"a": 1}\n')],
  ['a character in another spelling', Buffer.from('"\\u0061"\n')],
  ['what is not JSON', Buffer.from('"a\n')],
  ['20,000 lists in each other', Buffer.from(`${nested}\n`)],
  ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22, 0x0a])],
])('a file with %s is refused, since another reader may read it differently', (_what, bytes) => {
  expect(() => read(bytes)).toThrow(MalformedEvidence)
})

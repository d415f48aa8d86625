import { expect, test } from 'vitest'
import { areTooManyFilesOpen } from './too-many-files.ts'

test.each([
  ['its code', Object.assign(new Error('too many'), { code: 'ENFILE' })],
  ['the message of a thread', new Error("EMFILE: too many open files, open '/project/a.ts'")],
  ['a thread that cannot start', new Error('Worker initialization failure: EMFILE')],
])('too many open files are recognised by %s', (_what, error) => {
  expect(areTooManyFilesOpen(error)).toBe(true)
})

test.each([
  ['another code', Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT' })],
  ['the name of a file', new Error('/project/EMFILE has more than 100 bytes')],
  ['a value that is no error', 'EMFILE: too many open files'],
])('%s is something else', (_what, error) => {
  expect(areTooManyFilesOpen(error)).toBe(false)
})

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { makeFolder } from '#runtime/files.ts'
import { fileSentence } from './file-sentence.ts'
import { writeOut } from './write-out.ts'

const folder = newFolder('countersign files ')
const at = (name: string): string => join(folder, name)
await writeFile(at('file'), '')
await mkdir(at('folder'))

const bytes = Buffer.from('x')
test.each([
  [
    'a file into a folder that does not exist',
    () => writeOut(at('none/out.json'), bytes),
    `There is no folder ${at('none')}: make it first, or name another place`,
  ],
  [
    'a file below a file',
    () => writeOut(at('file/out.json'), bytes),
    `${at('file')} is not a folder: name another place`,
  ],
  [
    'a folder where none can be made',
    () => makeFolder('/proc/none/folder'),
    'No folder can be made in /proc: name another place',
  ],
  [
    'a folder below a file',
    () => makeFolder(at('file/folder')),
    `${at('file')} is not a folder: name another place`,
  ],
  ['a missing file', () => readFile(at('since')), `There is no file ${at('since')}`],
  ['a missing folder', () => readdir(at('log')), `There is no folder ${at('log')}`],
  [
    'a folder in place of a file',
    () => writeFile(at('folder'), ''),
    `${at('folder')} is a folder: name a file`,
  ],
  [
    'a file that exists',
    () => writeFile(at('file'), '', { flag: 'wx' }),
    `${at('file')} exists and is not overwritten: name another place`,
  ],
])('a command says what to do about %s', async (_, act, sentence) => {
  const error: unknown = await act().catch((thrown: unknown) => thrown)
  expect(await fileSentence(error)).toBe(sentence)
})

test('other errors keep their own sentence', async () => {
  const spawned: unknown = await promisify(execFile)(at('no-program')).catch(
    (error: unknown) => error,
  )
  for (const error of [spawned, new Error('no'), 'no']) expect(await fileSentence(error)).toBeNull()
})

import { lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readZoneAnswer, writeZoneFiles } from './zone-answer.ts'

const hash = '1'.repeat(40)

/** What Git prints of files with these modes, names and contents. */
function answerOf(files: readonly (readonly [mode: string, name: string, text: string])[]): Buffer {
  const entries = files.map(([mode, name]) => `${mode} ${hash} 0\t${name}\0`)
  const blobs = files
    .filter(([mode]) => mode !== '160000')
    .map(([, , text]) => `${hash} blob ${Buffer.byteLength(text)}\n${text}\n`)
  return Buffer.from(`${entries.join('')}\0${blobs.join('')}`)
}

// Rules: product.md 37
test('what Git has of a folder is written as Git has it', async () => {
  const files = readZoneAnswer(
    answerOf([
      ['100644', 'docs/a b\n.txt', 'two\n\0lines'],
      ['100755', 'docs/bin/run', ''],
      ['120000', 'docs/bin/link', '/etc/passwd'],
      ['160000', 'docs/other', ''],
    ]),
    'docs',
  )
  if (typeof files === 'string') expect.fail(files)
  const parent = mkdtempSync(path.join(tmpdir(), 'zone-'))
  try {
    const folder = path.join(parent, 'zone')
    await writeZoneFiles(folder, files)
    expect(readFileSync(path.join(folder, 'a b\n.txt'), 'utf8')).toBe('two\n\0lines')
    expect(lstatSync(path.join(folder, 'bin/run')).mode & 0o100).toBe(0o100)
    expect(readlinkSync(path.join(folder, 'bin/link'))).toBe('/etc/passwd')
    expect(lstatSync(path.join(folder, 'other')).isDirectory()).toBe(true)
  } finally {
    rmSync(parent, { recursive: true })
  }
})

// Rules: security.md 10
test.each([
  ['leads out of the folder', [['100644', 'docs/../a.txt', 'a']], 'a name that is not valid'],
  ['is in another folder', [['100644', 'work/a.txt', 'a']], 'a name that is not valid'],
  ['is in a Git folder', [['100644', 'docs/.GIT/config', 'a']], 'a name that is not valid'],
  [
    'is below a link',
    [
      ['120000', 'docs/a', '/etc'],
      ['100644', 'docs/a/b', 'a'],
    ],
    'a file and a folder of one name',
  ],
  [
    'is there twice',
    [
      ['120000', 'docs/a', '/etc/passwd'],
      ['100644', 'docs/a', 'a'],
    ],
    'a file and a folder of one name',
  ],
] as const)('no file is taken from an index whose name %s', (_what, files, why) => {
  expect(readZoneAnswer(answerOf(files), 'docs')).toContain(why)
})

test('an answer that is not whole gives no file', () => {
  const answer = answerOf([['100644', 'docs/a', 'text']])
  expect(readZoneAnswer(answer, 'docs')).toHaveLength(1)
  expect(readZoneAnswer(answer.subarray(0, -1), 'docs')).toBe('Git has not all objects of it')
  expect(readZoneAnswer(answer.subarray(0, 20), 'docs')).toBe('the answer of Git is cut off')
  const missing = Buffer.from(`100644 ${hash} 0\tdocs/a\0\0${hash} missing\n`)
  expect(readZoneAnswer(missing, 'docs')).toBe('Git has not all objects of it')
  const merged = Buffer.from(`100644 ${hash} 2\tdocs/a\0\0`)
  expect(readZoneAnswer(merged, 'docs')).toBe('a merge of Git is not finished in it')
})

import { expect, test } from 'vitest'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { factRows } from './fact-rows.ts'

const hash = (digit: string): string => `sha256:${digit.repeat(64)}`
const request = (
  facts: RequestDetail['facts'],
  metadata: RequestDetail['presentation']['metadata'],
): Parameters<typeof factRows>[0] => ({
  facts,
  presentation: {
    type: 'diff',
    language: null,
    content: '',
    truncated: false,
    totalLines: 0,
    totalBytes: 0,
    metadata,
    warnings: [],
    digest: hash('d'),
  },
})

test('a file and its hash at the time of the presentation are separate facts, and the hash is there once', () => {
  const facts = { toolHash: hash('1'), bases: [{ path: 'notes/2.md', hash: hash('2') }] }
  const rows = factRows(request(facts, { path: 'notes/2.md', baseHash: hash('2'), edits: 1 }))
  expect(rows).toEqual([
    { label: 'File', values: ['notes/2.md'] },
    { label: 'Replacements', values: ['1'] },
    { label: 'File when shown', values: ['notes/2.md', hash('2')] },
    { label: "Tool's definition", values: [hash('1')] },
  ])
})

test('a file that does not exist is named as such, and each file of a move has its own row', () => {
  const bases = [
    { path: 'a.md', hash: hash('a') },
    { path: 'b.md', hash: 'absent' },
  ]
  const rows = factRows(request({ toolHash: 'none', bases }, { from: 'a.md', to: 'b.md' }))
  expect(rows.filter((row) => row.label === 'File when shown').map((row) => row.values)).toEqual([
    ['a.md', hash('a')],
    ['b.md', 'no such file'],
  ])
})

test('the facts that a tool adds are shown, with their names in words', () => {
  const detail = { retryCount: 3, dry_run: true, target: { host: 'db' } }
  expect(factRows(request({ detail }, { constructor: 'x' }))).toEqual([
    { label: 'Retry count', values: ['3'] },
    { label: 'Dry run', values: ['yes'] },
    { label: 'Target', values: ['Host: db'] },
    { label: 'Constructor', values: ['x'] },
  ])
})

test('a command has its words one by one, its programs and files with their hashes, and its sandbox in words', () => {
  const facts = {
    toolHash: hash('1'),
    bases: [{ path: 'run.sh', hash: hash('2') }],
    detail: { profile: hash('3') },
  }
  const rows = factRows(
    request(facts, {
      argv: ['sh', 'run.sh', 'a b'],
      cwd: '.',
      sandbox: { required: true, network: 'none', writable: ['notes'], readable: [] },
      files: [{ path: 'run.sh', bytes: 3, hash: hash('2') }],
      programs: [{ name: 'sh', path: '/usr/bin/sh', hash: hash('4') }],
      runsWorkspaceCode: true,
    }),
  )
  expect(rows).toEqual([
    { label: 'File when shown', values: ['run.sh', hash('2')] },
    { label: 'Working directory', values: ['.'] },
    {
      label: 'Sandbox',
      values: ['Required: yes\nNetwork: none\nWritable: notes\nReadable: none'],
    },
    { label: 'Command, word by word', values: ['"sh"\n"run.sh"\n"a b"'] },
    { label: 'Runs other code', values: ['yes'] },
    { label: 'Program', values: ['sh is /usr/bin/sh', hash('4')] },
    { label: 'Sandbox profile', values: [hash('3')] },
    { label: "Tool's definition", values: [hash('1')] },
  ])
})

test('an empty list is shown as none, and true and false are shown in words', () => {
  const rows = factRows(request({ toolHash: 'none' }, { files: [], retried: false }))
  expect(rows).toContainEqual({ label: 'Files', values: ['none'] })
  expect(rows).toContainEqual({ label: 'Retried', values: ['no'] })
})

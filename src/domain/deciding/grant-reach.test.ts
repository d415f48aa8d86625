import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  grantedCommand,
  reachOf,
  reachWords,
  stillRestsOn,
  type ReachableCall,
} from './grant-reach.ts'

const write: ReachableCall = {
  tool: 'write_file',
  digest: 'sha256:d',
  input: { path: 'notes/1.md', content: 'x' },
  facts: { toolHash: 'sha256:t', bases: [{ path: 'notes/1.md', hash: 'absent' }] },
}
const command: ReachableCall = {
  tool: 'exec',
  digest: 'sha256:c',
  input: { file: 'sh', args: ['run.sh'] },
  facts: {
    toolHash: 'sha256:t',
    bases: [{ path: 'run.sh', hash: 'sha256:f' }],
    detail: { programs: [{ name: 'sh', path: '/usr/bin/sh', hash: 'sha256:s' }], profile: 'p' },
  },
}
const shell = { path: '/usr/bin/sh', hash: 'sha256:s' }
const own = { worker: 'scribe', startedBy: 'Ada', isOwn: true }

// Rules: product.md 10; security.md 16
test('scope run covers the same arguments, and a command only with the same files', () => {
  expect(reachOf('run', write)).toMatchObject({ digest: 'sha256:d', path: null, files: [] })
  expect(reachOf('run', command)).toMatchObject({
    digest: 'sha256:c',
    files: [...command.facts.bases, shell],
  })
  expect(reachOf('command', command)).toMatchObject({ digest: 'sha256:c', files: [shell] })
})

// Rules: product.md 10; security.md 16
test('scope path covers this one file with any content, and a call without a path has no such scope', () => {
  expect(reachOf('path', write)).toMatchObject({ digest: null, path: 'notes/1.md' })
  expect(reachOf('path', command)).toBeNull()
})

// Rules: security.md 16
test('the words say which calls are covered, in which runs, for how long, and what is never covered', () => {
  const words = (call: ReachableCall, scope: 'once' | 'run' | 'path' | 'command', root = own) =>
    reachWords(reachOf(scope, call)!, root).join(' ')
  expect(words(write, 'once')).toBe('This call, once.')
  expect(words(write, 'path')).toContain('write_file on notes/1.md, whatever the content')
  expect(words(write, 'run')).toContain('write_file with exactly these arguments.')
  expect(words(command, 'run')).toContain('as now: run.sh, /usr/bin/sh.')
  expect(words(command, 'command')).toContain('whatever the files it names contain by then')
  expect(words(write, 'run')).toContain('this run and every run it starts, until this run ends')
  expect(words(write, 'run', { ...own, isOwn: false })).toContain(
    'In the root run, scribe started by Ada, and in every run below it, this one included',
  )
  expect(words(write, 'run')).toContain('Not calls that policy blocks')
})

// Rules: product.md 10
test('a command is covered while its files, programs and sandbox are as approved; with scope command, whatever its files contain', () => {
  const { facts } = command
  const changed = { ...facts, bases: [{ path: 'run.sh', hash: 'sha256:g' }] }
  const elsewhere = { ...facts, detail: { ...facts.detail, profile: 'q' } }
  const held = (scope: 'run' | 'command') =>
    [facts, changed, elsewhere].map((now) => stillRestsOn(grantedCommand(scope, facts), now))
  expect(held('run')).toEqual([true, false, false])
  expect(held('command')).toEqual([true, true, false])
})

// Rules: security.md 16
test('two approvals have the same words only if they cover the same, whatever names are in them', () => {
  const names = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      'run.sh, other.sh',
      'run.sh',
      'other.sh',
      'a.md, whatever the content.',
      '"run.sh"',
    ),
  )
  const calls = fc.record({
    path: names,
    files: fc.array(names, { maxLength: 3 }),
    tool: fc.constantFrom('write_file', 'act', 'exec'),
  })
  const reaches = ({ path, files, tool }: { path: string; files: string[]; tool: string }) =>
    (['run', 'path', 'command'] as const).map((scope) => {
      const bases = files.map((file) => ({ path: file, hash: 'sha256:f' }))
      const detail = tool === 'exec' ? { detail: { programs: [] } } : {}
      const facts = { toolHash: 'sha256:t', bases, ...detail }
      const reach = reachOf(scope, { tool, digest: 'sha256:c', input: { path }, facts })!
      const covers = JSON.stringify({ ...reach, files: reach.files.map((file) => file.path) })
      return { covers, words: reachWords(reach, own).join(' ') }
    })
  fc.assert(
    fc.property(calls, calls, (one, other) => {
      const others = reaches(other)
      for (const [index, { covers, words }] of reaches(one).entries()) {
        expect(words === others[index]?.words).toBe(covers === others[index]?.covers)
      }
    }),
    { numRuns: 500 },
  )
})

import { expect, test } from 'vitest'
import { bwrapArguments, bytesOfWords } from './bwrap-arguments.ts'
import { commandLimits } from '../process/command-limits.ts'
import { sandboxedArgv } from './sandboxed-argv.ts'
import type { SandboxPlan } from './sandbox-plan.ts'

const plan: SandboxPlan = {
  zones: [
    { path: '/w/a/kept', mode: 'ro', identity: '1:3' },
    { path: '/w', mode: 'ro', identity: '1:1' },
    { path: '/w/a', mode: 'rw', identity: '1:2' },
  ],
  readOnly: ['/w/a/.git/hooks'],
  pinned: ['/w/a/.git'],
  covered: ['/w/.env'],
  emptied: ['/w/.countersign'],
  copies: [
    { path: '/w/a/run.sh', from: '/d/0', mode: 'rw', identity: '1:4' },
    { path: '/w/b.txt', from: '/d/1', mode: 'ro', identity: '1:5' },
  ],
  cwd: '/w/a',
  cwdIdentity: null,
}
const host = {
  folders: [
    { path: '/usr', kind: 'folder' },
    { path: '/bin', kind: 'link', to: 'usr/bin' },
    { path: '/proc/keys', kind: 'masked' },
  ],
  tmpBytes: 1024,
} as const
const line = ` ${bwrapArguments(plan, host, { passwd: 4, group: 5, filter: 8, network: null }).join(' ')} `

// Rules: security.md 7, 8
test.each([
  [
    'namespaces of its own, the network included',
    '--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-net',
  ],
  ['no further namespaces', '--disable-userns'],
  ['the end of whoever started it', '--die-with-parent'],
  ['no terminal of the host', '--new-session'],
  ['no capability', '--cap-drop ALL'],
  ['programs read-only', '--ro-bind /usr /usr --symlink usr/bin /bin'],
  ['kernel settings read-only', '--ro-bind /proc/sys /proc/sys'],
  ['a filter of system calls', '--seccomp 8'],
  ['nothing of the host’s keys', '--ro-bind /dev/null /proc/keys'],
  [
    'bounded folders of its own, and nothing else of memory to write to',
    '--size 1024 --tmpfs /dev/shm --size 1024 --tmpfs /run --size 1024 --tmpfs /tmp --remount-ro /dev',
  ],
  [
    'zones from the outside in, so that the deepest decides',
    '--ro-bind /w /w --bind /w/a /w/a --ro-bind /w/a/kept /w/a/kept',
  ],
  [
    'protected names over the zones',
    '--bind /w/a/.git /w/a/.git --ro-bind /w/a/.git/hooks /w/a/.git/hooks',
  ],
  [
    'files as they were looked at',
    '--bind /d/0 /w/a/run.sh --ro-bind /d/1 /w/b.txt --tmpfs /w/.countersign',
  ],
  ['an empty data folder', '--tmpfs /w/.countersign --remount-ro /w/.countersign'],
  ['a file that nobody can open', '--ro-bind /dev/null /w/.env'],
  ['a root that nobody can write to', '--remount-ro / --chdir /w/a'],
])('a command gets %s', (_, words) => {
  expect(line).toContain(` ${words} `)
})

test('the covers of protected paths are mounted last, so that no zone hides them', () => {
  const places = ['--bind /w/a /w/a', '--bind /w/a/.git', '--tmpfs /w/.c', '/dev/null /w/.env']
  const order = places.map((words) => line.indexOf(words))
  expect(order).toEqual(order.toSorted((one, other) => one - other))
})

test('a path in a folder that is mounted read-only has no mount of its own', () => {
  const readOnly = ['/w/a/m', '/w/a/m/p/x.js', '/w/a/m.js', '/w/a/m/p']
  const words = bwrapArguments({ ...plan, readOnly }, host, { passwd: 4, group: 5, filter: 8 })
  const mounted = words.filter((word, index) => words[index - 1] === '--ro-bind')
  expect(mounted.filter((word) => word.startsWith('/w/a/m'))).toEqual(['/w/a/m', '/w/a/m.js'])
})

test('more arguments than bubblewrap takes are refused with a sentence, and names that are no text keep their bytes', () => {
  expect(bytesOfWords(['--dir', '/a\udcff'], 10).toString('latin1')).toBe('--dir\0/a\xff\0')
  const words = Array.from({ length: 8000 }, () => 'word')
  expect(bytesOfWords(words, 1000)).toHaveLength(40_000)
  expect(() => bytesOfWords(words, 1001)).toThrow(/too many protected names.*smaller zones/)
})

// Rules: security.md 9
test('processes are counted by the kernel for everybody but root', () => {
  const vector = (isRoot: boolean): string[] =>
    sandboxedArgv(['ls', '-l'], plan.zones, commandLimits, { isRoot })
  expect(vector(true).join(' ')).not.toContain('--nproc')
  expect(vector(true).slice(-3)).toEqual(['--', 'ls', '-l'])
  expect(vector(false)).toContain('--fsize=1073741824')
})

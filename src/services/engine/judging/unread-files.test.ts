import { expect, test } from 'vitest'
import type { CommandHost } from '#domain/tools/command.ts'
import { unreadWorkspace, withUnreadFiles } from './unread-files.ts'

const questions: string[] = []
const host: CommandHost = {
  sandboxProblem: null,
  async executable(name) {
    questions.push(name)
    return name === 'absent' ? null : { path: `/usr/bin/${name}`, hash: '' }
  },
  gitHas: async () => false,
  nestsRepositories: async () => false,
  async realPath(path) {
    questions.push(path)
    return path.replace('/usr/bin/view', '/usr/bin/vim')
  },
}

// Rules: product.md 46
test('no file is known, and reading any is refused with a sentence', async () => {
  expect(await unreadWorkspace.state('a.md', { hash: true })).toEqual({ kind: 'unknown', bytes: 0 })
  const reading = [
    unreadWorkspace.read('a.md', { maxBytes: 1 }),
    unreadWorkspace.list('', { maxEntries: 1 }),
    unreadWorkspace.copy('a.md', '/tmp/x', { maxBytes: 1 }),
  ]
  for (const one of reading) await expect(one).rejects.toThrow('this service does not read')
})

test('paths are judged as text: only programs on the fixed PATH are looked up', async () => {
  const unread = withUnreadFiles(host)
  expect(await unread.realPath('/usr/bin/view')).toBe('/usr/bin/view')
  expect(await unread.executable('view', '')).toMatchObject({ path: '/usr/bin/view' })
  expect(await unread.realPath('/usr/bin/view')).toBe('/usr/bin/vim')
  expect(await unread.executable('absent', '')).toBeNull()
  for (const below of ['./tool', '/srv/tool', 'bin/tool']) {
    expect(await unread.executable(below, '')).toBeNull()
  }
  expect(await unread.realPath(`${unreadWorkspace.root}/docs/../../etc/passwd`)).toBe('/etc/passwd')
  expect(await unread.realPath('relative')).toBeNull()
  expect(await unread.realPath('/a\0b')).toBeNull()
  expect(questions).toEqual(['view', '/usr/bin/view', 'absent'])
})

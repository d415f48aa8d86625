import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'

// Rules: security.md 23, 37
test('names that no name server answers for, many of them chosen by programs, keep no configured name waiting', async () => {
  const settings = join(newFolder('countersign-names-'), 'resolv.conf')
  await writeFile(settings, 'nameserver 127.0.0.1\n')
  const ownNetwork = ['--unshare-user', '--unshare-net', '--uid', '0', '--cap-add', 'ALL']
  const files = ['--dev-bind', '/', '/', '--bind', settings, '/etc/resolv.conf']
  const script = new URL('hanging-names.fixture.ts', import.meta.url).pathname
  const { stdout } = await promisify(execFile)(
    'bwrap',
    [...ownNetwork, ...files, process.execPath, script],
    { env: { ...process.env, UV_THREADPOOL_SIZE: '32', RES_OPTIONS: 'attempts:1' } },
  )
  expect(JSON.parse(stdout)).toEqual(['other 192.0.2.7', 'localhost'])
})

import { spawnSync } from 'node:child_process'
import { chmodSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { hashBytes } from '#domain/json/digest.ts'
import { bytes, read, root, useWorkspace, workspace } from './fixtures/workspace.fixture.ts'

useWorkspace()

/** The owner and user 1 read and write, as the mask lets them; the owning group does not. */
const listFor = `import os, struct, sys
entry = lambda tag, may, who=0xffffffff: struct.pack('<HHI', tag, may, who)
entries = entry(1, 6) + entry(2, 6, 1) + entry(4, 0) + entry(16, 6) + entry(32, 0)
os.setxattr(sys.argv[1], 'system.posix_acl_access', struct.pack('<I', 2) + entries)`
const listOf = `import os, sys
sys.stdout.write(os.getxattr(sys.argv[1], 'system.posix_acl_access').hex())`

function python(script: string, file: string): string {
  const { status, stdout } = spawnSync('python3', ['-c', script, file], { encoding: 'utf8' })
  return status === 0 ? stdout : `status ${status}`
}

// Rules: security.md 10
it('an edit keeps the access list of a file, so its group gets no more rights than before', async () => {
  const file = path.join(root, 'notes/a.md')
  // A system without Python, or without lists, cannot make a file that this is about.
  if (python(listFor, file) !== '') return
  const before = python(listOf, file)
  expect(before).toHaveLength(2 * (4 + 5 * 8))
  await workspace.write('notes/a.md', bytes('two\n'), hashBytes('one\n'))
  expect(read('notes/a.md')).toBe('two\n')
  expect(python(listOf, file)).toBe(before)
  expect(statSync(file).mode & 0o7777).toBe(0o660)
})

it('an edit keeps no set-user-id bit, and the mode of a file without a list', async () => {
  const file = path.join(root, 'notes/a.md')
  chmodSync(file, 0o4755)
  await workspace.write('notes/a.md', bytes('two\n'), hashBytes('one\n'))
  expect(statSync(file).mode & 0o7777).toBe(0o755)
  chmodSync(file, 0o640)
  await workspace.write('notes/a.md', bytes('three\n'), hashBytes('two\n'))
  expect(statSync(file).mode & 0o7777).toBe(0o640)
})

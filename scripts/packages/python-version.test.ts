import { execFile } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'

test.each([
  ['1.2.0', '1.2.0'],
  ['1.2.0-rc.1', '1.2.0rc1'],
  ['1.2.0-beta.10', '1.2.0b10'],
  ['1.2.0-alpha.0', '1.2.0a0'],
])(
  'the Python files of version %s have a version that pip and PyPI read: %s',
  async (version, own) => {
    const folder = newFolder('python package ')
    await cp(join(import.meta.dirname, '../../packages/python'), folder, { recursive: true })
    const project = join(folder, 'pyproject.toml')
    const text = await readFile(project, 'utf8')
    await writeFile(project, text.replace(/^version = ".*"$/m, `version = "${version}"`))
    const packing = promisify(execFile)('python3', ['build_package.py', folder], { cwd: folder })
    expect((await packing).stdout.trim().split('\n')).toEqual([
      `countersign_client-${own}-py3-none-any.whl`,
      `countersign_client-${own}.tar.gz`,
    ])
  },
)

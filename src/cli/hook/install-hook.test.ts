import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { installHook } from './install-hook.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign hook '))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const hook = { command: '/opt/countersign hook claude-code --worker w', timeoutSeconds: 60 }
const file = (): string => join(folder, '.claude', 'settings.json')
const settings = async () => JSON.parse(await readFile(file(), 'utf8'))
async function write(text: string): Promise<void> {
  await mkdir(join(folder, '.claude'))
  await writeFile(file(), text)
}

test('writes a hook that blocks when it is not found, and one that reports', async () => {
  expect(await installHook(folder, hook)).toBe(file())
  const { hooks } = await settings()
  expect(hooks.PreToolUse).toEqual([
    {
      matcher: expect.stringContaining('Bash|Read'),
      hooks: [{ type: 'command', command: `${hook.command} || exit 2`, timeout: 60 }],
    },
  ])
  expect(hooks.PostToolUse[0].hooks[0].command).toBe(hook.command)
  expect(await readdir(join(folder, '.claude'))).toEqual(['settings.json'])
})

test('keeps all that is there, other hooks too, and replaces its own', async () => {
  const theirs = { matcher: 'Bash', hooks: [{ type: 'command', command: 'lint' }] }
  const before = {
    model: 'opus',
    permissions: { deny: ['Read(.env)'] },
    hooks: { PreToolUse: [theirs], Stop: [theirs] },
  }
  await write(JSON.stringify(before))
  await installHook(folder, { ...hook, command: `${hook.command}-old` })
  await installHook(folder, hook)
  const after = await settings()
  expect(after).toMatchObject({ model: 'opus', permissions: before.permissions })
  expect(after.hooks.Stop).toEqual([theirs])
  expect(after.hooks.PreToolUse).toHaveLength(2)
  expect(after.hooks.PreToolUse[0]).toEqual(theirs)
  expect(after.hooks.PreToolUse[1].hooks[0].command).toBe(`${hook.command} || exit 2`)
})

test.each(['not JSON', '[]', '{"hooks": []}', '{"hooks": {"PreToolUse": {}}}'])(
  'changes nothing where the settings are %s',
  async (text) => {
    await write(text)
    await expect(installHook(folder, hook)).rejects.toThrow(/mend it first/)
    expect(await readFile(file(), 'utf8')).toBe(text)
  },
)

import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { callHere } from './call-here.ts'

let root = ''
const put = async (path: string): Promise<void> => {
  await mkdir(join(root, path, '..'), { recursive: true })
  await writeFile(join(root, path), 'TOKEN=1\n')
}
const toolOf = async (path?: string): Promise<string> => {
  const tool_input = { pattern: 'TOKEN', ...(path === undefined ? {} : { path }) }
  const event = { hook_event_name: 'PreToolUse', session_id: 's', tool_name: 'Grep' } as const
  return (await callHere({ ...event, tool_input, cwd: root }, root, 'claude-code')).tool
}

beforeEach(async () => {
  root = newFolder('countersign grep ')
  await put('src/deep/a.ts')
})

// Rules: security.md 8
test.each(['.env', 'conf/deep/.env.local', 'conf/tls/server.key', 'conf/.aws/credentials'])(
  'a Grep that could read %s asks under its own name; one of another folder is a search',
  async (path) => {
    expect(await toolOf()).toBe('search_files')
    await put(path)
    expect(await toolOf()).toBe('Grep')
    expect(await toolOf(root)).toBe('Grep')
    expect(await toolOf(join(root, path))).toBe('Grep')
    expect(await toolOf('src')).toBe('search_files')
    expect(await toolOf('src/')).toBe('search_files')
    expect(await toolOf('src/deep/a.ts')).toBe('search_files')
  },
)

test('a Grep asks if the files that it reads cannot be determined; outside of the folder, policy refuses it', async () => {
  await mkdir(join(root, 'elsewhere'))
  await symlink('../src', join(root, 'elsewhere/link'))
  expect(await toolOf('elsewhere')).toBe('search_files')
  expect(await toolOf('elsewhere/link')).toBe('Grep')
  expect(await toolOf('missing')).toBe('Grep')
  expect(await toolOf('../other')).toBe('search_files')
})

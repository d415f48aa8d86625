import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openPackedProject, runProgram } from './packed.ts'

const project = disposeAfterTests(await openPackedProject(['hook']))

const file = () => join(project.folder, 'node_modules/countersign-hook/dist/countersign-hook.mjs')

async function hook(args: readonly string[], input: string, node: readonly string[] = []) {
  const env = {
    PATH: process.env['PATH'],
    HOME: project.folder,
    COUNTERSIGN_URL: 'http://127.0.0.1:9',
  }
  const child = spawn(process.execPath, [...node, file(), ...args], { env, cwd: project.folder })
  child.stdin.end(input)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, out, err }
}

const event = (tool_name: string) =>
  JSON.stringify({ session_id: 's', hook_event_name: 'PreToolUse', tool_name, tool_input: {} })

test('the tarball is one file that needs nothing', async () => {
  const manifest = JSON.parse(
    await readFile(join(project.folder, 'node_modules/countersign-hook/package.json'), 'utf8'),
  )
  expect(manifest).not.toHaveProperty('dependencies')
  const imports = (await readFile(file(), 'utf8')).matchAll(/^import .* from "([^"]+)"/gm)
  expect([...imports].filter(([, name]) => !name?.startsWith('node:'))).toEqual([])
  expect((await stat(file())).size).toBeLessThan(200_000)
})

test.each(['claude-code', 'codex', 'gemini-cli', 'copilot-cli', 'cursor', 'opencode'])(
  'without a yes it says no to %s, or blocks: nonsense, no key',
  async (name) => {
    for (const input of ['nonsense', '', event('Bash')]) {
      const { code, out } = await hook([name], input)
      expect(code).toBe(0)
      expect(out).toMatch(/"(permissionDecision|decision|permission)":"deny"/)
    }
  },
)

test('what it does not understand blocks with a sentence', async () => {
  for (const args of [['nobody'], [], ['claude-code', '--nothing'], ['claude-code', 'codex']]) {
    const { code, err } = await hook(args, event('Bash'))
    expect(code).toBe(2)
    expect(err).toMatch(/.{20,}/)
  }
  expect((await hook(['claude-code', '--wait', 'soon'], event('Bash'))).out).toContain('"deny"')
})

test('a harmless call loads at most 100 modules of Node more than an empty program', async () => {
  const preload = await project.write(
    'loaded.cjs',
    `process.on('exit', () => require('node:fs').writeSync(2, String(process.moduleLoadList.length)))`,
  )
  const empty = await project.write('empty.mjs', '')
  const { stderr } = await runProgram(process.execPath, ['-r', preload, empty])
  const { code, err, out } = await hook(['claude-code'], event('TodoWrite'), ['-r', preload])
  expect({ code, out }).toEqual({ code: 0, out: '{}\n' })
  const more = Number(err) - Number(stderr)
  expect(more).toBeGreaterThan(0)
  expect(more).toBeLessThanOrEqual(100)
})

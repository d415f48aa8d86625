import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { promisify } from 'node:util'
import { agentSettings } from './settings/agent-settings.ts'
import { agentNames, agents } from '#domain/hooks/agents.ts'
import { protectedName } from '#policy/names/protected-names.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { runHookCommand } from './hook-command.ts'
import { writePlugin } from './write-plugin.ts'
import { hookCommand, hookUrl, installHook, writeManaged } from './install-hook.ts'

let folder = ''
beforeEach(() => {
  folder = newFolder('countersign hook ')
})

const words = { url: undefined, worker: 'w', root: undefined, wait: '60' }
const hook = { command: hookCommand('claude-code', words), timeoutSeconds: 60 }
const file = (): string => join(folder, '.claude', 'settings.json')
const settings = async () => JSON.parse(await readFile(file(), 'utf8'))
async function write(text: string): Promise<void> {
  await mkdir(join(folder, '.claude'))
  await writeFile(file(), text)
}

// Rules: security.md 8
test.each(agentNames)('no agent may write the file by which %s calls its hook', (name) => {
  expect(protectedName(agentSettings[name].file)).not.toBeNull()
})

test('writes a hook that blocks when it is not found, and one that reports', async () => {
  expect(await installHook('claude-code', folder, hook)).toBe(file())
  const { hooks } = await settings()
  expect(hooks.PreToolUse).toEqual([
    {
      matcher: '*',
      hooks: [
        {
          type: 'command',
          command: `${hook.command} || exit 2`,
          onFailure: 'block',
          timeout: 60,
        },
      ],
    },
  ])
  expect(hooks.PostToolUse[0].hooks[0].command).toBe(hook.command)
  expect(await readdir(join(folder, '.claude'))).toEqual(['settings.json'])
})

test('writes a hook over HTTP that blocks when the service does not answer, without the key', async () => {
  const httpUrl = hookUrl({ ...words, url: 'https://approvals.example.com' })
  expect(httpUrl).toBe('https://approvals.example.com/v1/hooks/claude-code?worker=w&wait=60')
  await installHook('claude-code', folder, hook)
  await installHook('claude-code', folder, { ...hook, httpUrl })
  const { hooks } = await settings()
  const asks = {
    type: 'http',
    url: httpUrl,
    headers: { authorization: 'Bearer $COUNTERSIGN_API_KEY' },
    allowedEnvVars: ['COUNTERSIGN_API_KEY'],
  }
  expect(hooks.PreToolUse).toEqual([
    { matcher: '*', hooks: [{ ...asks, onFailure: 'block', timeout: 60 }] },
  ])
  expect(hooks.PostToolUse).toEqual([{ matcher: '*', hooks: [{ ...asks, timeout: 30 }] }])
  for (const url of [undefined, 'nowhere']) {
    expect(() => hookUrl({ ...words, url })).toThrow(/address/)
  }
})

test.each(['claude-code', 'codex'] as const)(
  '%s asks with one event: the other is no longer there',
  async (name) => {
    const path = join(folder, agentSettings[name].file)
    const own = { command: hookCommand(name, words), timeoutSeconds: 60 }
    const hooksOf = async () => JSON.parse(await readFile(path, 'utf8')).hooks
    await installHook(name, folder, own)
    await installHook(name, folder, { ...own, event: 'PermissionRequest' })
    const quiet = await hooksOf()
    expect(quiet).not.toHaveProperty('PreToolUse')
    expect(JSON.stringify(quiet.PermissionRequest)).toContain(
      name === 'codex' ? 'exit 2' : '|| exit 1',
    )
    expect(quiet.PostToolUse).toHaveLength(1)
    await installHook(name, folder, own)
    expect(await hooksOf()).not.toHaveProperty('PermissionRequest')
  },
)

test('keeps all that is there, other hooks too, and replaces its own', async () => {
  const theirs = { matcher: 'Bash', hooks: [{ type: 'command', command: 'lint' }] }
  const before = {
    model: 'opus',
    permissions: { deny: ['Read(.env)'] },
    hooks: { PreToolUse: [theirs], Stop: [theirs] },
  }
  await write(JSON.stringify(before))
  const old = '/opt/of-one-machine/countersign hook claude-code --project /home/ada/shop'
  await installHook('claude-code', folder, { ...hook, command: old })
  await installHook('claude-code', folder, hook)
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
    await expect(installHook('claude-code', folder, hook)).rejects.toThrow(/correct it first/)
    expect(await readFile(file(), 'utf8')).toBe(text)
  },
)

// Rules: security.md 32
test('asks about every tool, before and after, and names no folder of the machine', async () => {
  await installHook('claude-code', folder, hook)
  const { hooks } = await settings()
  for (const name of ['PreToolUse', 'PostToolUse', 'PostToolUseFailure']) {
    expect(hooks[name][0].matcher).toBe('*')
  }
  const text = await readFile(file(), 'utf8')
  expect(text).not.toContain(folder)
  expect(text).not.toContain(process.cwd())
})

test.each([
  ['gemini-cli', { install: true }, true],
  ['gemini-cli', { install: true, url: 'https://approvals.example.com' }, false],
  ['claude-code', { plugin: true }, true],
  ['claude-code', { plugin: true, url: 'https://approvals.example.com' }, false],
])(
  'who installs it for %s with %j reads whether machines need an address: %s',
  async (name, options, needed) => {
    const log = vi.spyOn(console, 'log').mockReturnValue()
    onTestFinished(() => log.mockRestore())
    await runHookCommand(name, { project: folder, ...options }, {})
    expect(log.mock.calls.join().includes('COUNTERSIGN_URL')).toBe(needed)
  },
)

test('its line finds the program on the PATH, passes on words with odd characters, and blocks without the program', async () => {
  const bin = join(folder, 'bin')
  await mkdir(bin)
  const run = (command: string) =>
    promisify(execFile)('/bin/sh', ['-c', `${command} || exit 2`], {
      cwd: folder,
      env: { PATH: bin, CLAUDE_PROJECT_DIR: folder },
    })
  const odd = hookCommand('claude-code', { ...words, worker: "it's $(x)" })
  await expect(run(odd)).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Install countersign-hook from npm'),
  })
  const program = join(bin, 'countersign')
  await writeFile(program, '#!/bin/sh\nfor word; do echo "$word"; done\n')
  await chmod(program, 0o755)
  const options = ['claude-code', '--project', folder, '--worker', "it's $(x)", '--wait', '60']
  expect((await run(odd)).stdout).toBe(`${['hook', ...options].join('\n')}\n`)
  // Where both programs exist the small one is used, also from the packages of the project.
  const own = join(folder, 'node_modules', '.bin')
  await mkdir(own, { recursive: true })
  await rename(program, join(own, 'countersign-hook'))
  expect((await run(odd)).stdout).toBe(`${options.join('\n')}\n`)
})

test('the file of an administrator has the hooks of Countersign alone, and no setting of a person removes them', async () => {
  const { file: managed } = await writeManaged('claude-code', folder, hook)
  await installHook('claude-code', folder, hook)
  const ours = (await settings()).hooks
  expect(JSON.parse(await readFile(managed, 'utf8'))).toEqual({
    allowManagedHooksOnly: true,
    permissions: { disableBypassPermissionsMode: 'disable' },
    hooks: ours,
  })
  // This event would not come for calls that the rules of a person allow.
  await writeManaged('claude-code', folder, { ...hook, event: 'PermissionRequest' })
  const asking = JSON.parse(await readFile(managed, 'utf8'))
  expect(asking).toMatchObject({
    allowManagedHooksOnly: true,
    allowManagedPermissionRulesOnly: true,
  })
  expect(asking.hooks).toHaveProperty('PermissionRequest')
})

const others = agentNames.filter((name) => name !== 'claude-code' && name !== 'opencode')

test.each(others)(
  'the settings of %s ask before every call, keep what is there, and block',
  async (name) => {
    const line = { command: hookCommand(name, words), timeoutSeconds: 60 }
    const settingsFile = join(folder, agentSettings[name].file)
    await mkdir(join(settingsFile, '..'), { recursive: true })
    const [event = ''] = Object.keys(agentSettings[name].entries(line))
    const theirs = {
      hooks: { [event]: [{ command: 'lint', hooks: [{ command: 'lint' }] }] },
      mine: 1,
    }
    await writeFile(settingsFile, JSON.stringify(theirs))
    await installHook(name, folder, { ...line, timeoutSeconds: 5 })
    await installHook(name, folder, line)
    const text = await readFile(settingsFile, 'utf8')
    expect(text).not.toContain(folder)
    const { hooks, mine } = JSON.parse(text)
    expect(mine).toBe(1)
    expect(hooks[event]).toHaveLength(2)
    expect(hooks[event][0]).toEqual(theirs.hooks[event]?.[0])
    // The time is in the agent's own unit, and the matcher is everything.
    const [entry] = [hooks[event][1]].map((own) => ({ ...own, ...own.hooks?.[0] }))
    const unit = agents[name].unit === 'milliseconds' ? 1000 : 1
    expect(entry.timeout ?? entry.timeoutSec).toBe(60 * unit)
    expect(entry.matcher ?? '.*').toBe('.*')
    const run = promisify(execFile)('/bin/sh', ['-c', entry.command ?? entry.bash], {
      cwd: folder,
      env: { PATH: join(folder, 'none') },
    })
    await expect(run).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not run'),
    })
  },
)

test('the requirements of Codex have the hooks of Countersign alone, in TOML, as Codex 0.171.0 reads them', async () => {
  const { file: requirements } = await writeManaged('codex', folder, {
    command: 'echo "a\\b"',
    timeoutSeconds: 60,
  })
  const text = await readFile(requirements, 'utf8')
  expect(text.split('\n')).toEqual([
    'allow_managed_hooks_only = true',
    '',
    '[[hooks.PreToolUse]]',
    '[[hooks.PreToolUse.hooks]]',
    'type = "command"',
    expect.stringMatching(/^command = "echo \\"a\\\\b\\" \|\| \{ echo .*exit 2; \}"$/),
    'timeout = 60',
    '',
    '[[hooks.PostToolUse]]',
    '[[hooks.PostToolUse.hooks]]',
    'type = "command"',
    'command = "echo \\"a\\\\b\\""',
    'timeout = 30',
    '',
  ])
})

test('administrators get a file for each agent that has one', async () => {
  const line = { command: 'x', timeoutSeconds: 60 }
  await expect(writeManaged('opencode', folder, line)).rejects.toThrow(/no file of hooks/)
  const { file: written } = await writeManaged('cursor', folder, line)
  expect(JSON.parse(await readFile(written, 'utf8'))).toMatchObject({
    version: 1,
    hooks: { preToolUse: [{ failClosed: true, timeout: 60 }] },
  })
})

test('the plugin of OpenCode names no folder, and denies a call without the program', async () => {
  const line = { command: hookCommand('opencode', words), timeoutSeconds: 60 }
  const written = await installHook('opencode', folder, line)
  expect(await readFile(written, 'utf8')).not.toContain(folder)
  const path = `${process.env['PATH']}`
  process.env['PATH'] = join(folder, 'none')
  try {
    const { Countersign } = await import(written)
    const hooks = await Countersign({ directory: folder })
    const call = { tool: 'bash', sessionID: 's', callID: 'c' }
    const made = hooks['tool.execute.before'](call, { args: { command: "'; touch x; '" } })
    await expect(made).rejects.toThrow(/^Countersign: .*so this call does not run/)
    expect(await readdir(folder)).toEqual(['.opencode'])
  } finally {
    process.env['PATH'] = path
  }
})

test('the plugin of Claude Code has the hook and an MCP server, and names no folder', async () => {
  const plugin = await writePlugin(folder, hook, undefined)
  const text = (path: string) => readFile(join(plugin, path), 'utf8')
  const files = ['.claude-plugin/plugin.json', 'hooks/hooks.json', '.mcp.json']
  for (const path of files) expect(await text(path)).not.toContain(folder)
  await installHook('claude-code', folder, hook)
  expect(JSON.parse(await text('hooks/hooks.json'))).toEqual({ hooks: (await settings()).hooks })
  expect(JSON.parse(await text('.mcp.json'))).toEqual({
    mcpServers: { countersign: { command: 'countersign', args: ['mcp'] } },
  })
  const url = 'https://approvals.example.com'
  await writePlugin(folder, hook, url)
  expect(JSON.parse(await text('.mcp.json')).mcpServers.countersign.args).toEqual([
    'mcp',
    '--url',
    url,
  ])
})

import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { client, ndJsonStream } from '@agentclientprotocol/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { InstalledPrograms, unreachable } from '../runtimes/runtimes.ts'
import { AgentWorld } from './agent-world.ts'
import { realAgents } from './real-agents.ts'

const countersign = fileURLToPath(new URL('../../../bin/countersign', import.meta.url))

/** An agent of the protocol: how it is started beside its model, and how its command comes. */
interface AcpAgent {
  readonly programs: InstalledPrograms
  readonly words: readonly [program: string, ...words: string[]]
  readonly env: (agent: AgentWorld) => Readonly<Record<string, string>>
  readonly prepare: (agent: AgentWorld) => Promise<void>
  readonly call: (command: string) => { readonly name: string; readonly input: object }
}

const gemini = realAgents['gemini-cli']
const agents: Readonly<Record<string, AcpAgent>> = {
  'Gemini CLI': {
    programs: gemini.programs,
    words: ['.bin/gemini', '--acp', '--model', 'gemini-2.5-pro'],
    env: ({ model }) => ({
      GEMINI_API_KEY: 'local',
      GOOGLE_GEMINI_BASE_URL: model.url,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
    prepare: ({ model, project }) =>
      gemini.prepare({ folder: project.folder, modelUrl: model.url }),
    call: gemini.runs,
  },
  OpenCode: {
    programs: new InstalledPrograms('opencode', { 'opencode-ai': '1.18.33' }),
    words: ['.bin/opencode', 'acp'],
    env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }),
    prepare: async ({ model, project }) => {
      const models = {
        m: { name: 'M', tool_call: true, limit: { context: 100_000, output: 1000 } },
      }
      const options = { baseURL: `${model.url}/v1`, apiKey: 'none' }
      const local = { npm: '@ai-sdk/openai-compatible', name: 'Local', options, models }
      const config = { model: 'local/m', small_model: 'local/m', provider: { local } }
      await project.write(
        'opencode.json',
        JSON.stringify({ ...config, autoupdate: false, permission: { bash: 'ask' } }),
      )
    },
    call: (command) => ({ name: 'bash', input: { command, description: 'Make it' } }),
  },
  'Claude Code': {
    programs: new InstalledPrograms('claude-acp', {
      '@agentclientprotocol/claude-agent-acp': '0.101.0',
    }),
    words: ['.bin/claude-agent-acp'],
    env: ({ model }) => ({
      ANTHROPIC_API_KEY: 'sk-local',
      ANTHROPIC_BASE_URL: model.url,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // Else root may not choose the mode in which it asks about nothing.
      IS_SANDBOX: '1',
    }),
    // Of itself it would ask about nothing: the bridge has it ask.
    prepare: async ({ project }) => {
      await mkdir(join(project.folder, '.claude'))
      const permissions = { allow: ['Bash'], defaultMode: 'bypassPermissions' }
      await project.write('.claude/settings.json', JSON.stringify({ permissions }))
    },
    call: (command) => ({ name: 'Bash', input: { command, description: 'Make it' } }),
  },
}

/** An editor that starts an agent behind `countersign acp`. */
async function openEditor(agent: AgentWorld, real: AcpAgent, waitSeconds: number) {
  const [program, ...words] = real.words
  const args = ['acp', '--wait', String(waitSeconds), '--', real.programs.file(program), ...words]
  const child = spawn(process.execPath, [countersign, ...args], {
    cwd: agent.project.folder,
    env: { ...agent.env, ...real.env(agent) },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (piece) => (errors += String(piece)))
  let callCount = 0
  const { agent: far } = client({ name: 'editor' })
    .onRequest('session/request_permission', () => {
      callCount += 1
      return { outcome: { outcome: 'cancelled' } }
    })
    .onNotification('session/update', () => undefined)
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)))
  await far.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
  const { sessionId } = await far.request<{ sessionId: string }>('session/new', {
    cwd: agent.project.folder,
    mcpServers: [],
  })
  return {
    errors: () => errors,
    prompt: async (): Promise<void> => {
      const prompt = [{ type: 'text' as const, text: 'do it' }]
      await far.request('session/prompt', { sessionId, prompt })
      expect(callCount).toBe(0)
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      const ended = new Promise((resolve) => child.once('close', resolve))
      child.stdin.end()
      const kill = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await ended
      clearTimeout(kill)
    },
  }
}

describe.each(Object.entries(agents))('%s behind countersign acp', (_, real) => {
  let agent: AgentWorld
  let missing: string | null = null
  beforeAll(async () => {
    missing = await real.programs.install().then(() => null, unreachable)
    if (missing !== null) return
    agent = await AgentWorld.start()
    await real.prepare(agent)
  }, 600_000)
  afterAll(() => agent?.[Symbol.asyncDispose](), 60_000)

  test('a call waits for somebody else, is made once, and its outcome is reported', async ({
    skip,
  }) => {
    if (missing !== null) skip(missing)
    await using editor = await openEditor(agent, real, 120)
    agent.model.calls = [real.call('mkdir made')]
    const ended = editor.prompt()
    const request = await agent.waiting()
    expect(request).toMatchObject({
      risk: 'high',
      tool: expect.stringMatching(/^acp:/) as string,
    })
    expect(JSON.stringify(request['input'])).toContain('mkdir made')
    expect(await agent.decide('approve', 'grace')).toBe(403)
    expect(await agent.has('made')).toBe(false)
    expect(await agent.decide('approve')).toBe(200)
    await ended
    expect(await agent.has('made')).toBe(true)
    await agent.until(async () => (await agent.outcome()) === 'succeeded')
  }, 240_000)

  test('a denied call is not made, and its reason goes to the person', async ({ skip }) => {
    if (missing !== null) skip(missing)
    await using editor = await openEditor(agent, real, 120)
    agent.model.calls = [real.call('mkdir denied')]
    const ended = editor.prompt()
    expect(await agent.decide('deny')).toBe(200)
    await ended
    expect(await agent.has('denied')).toBe(false)
    expect(editor.errors()).toContain('not on a Friday')
  }, 240_000)

  test('a call that nobody decides in time is denied, and its request waits on', async ({
    skip,
  }) => {
    if (missing !== null) skip(missing)
    await using editor = await openEditor(agent, real, 3)
    agent.model.calls = [real.call('mkdir later')]
    await editor.prompt()
    expect(editor.errors()).toContain('waits as #')
    expect(await agent.has('later')).toBe(false)
    expect(await agent.waiting()).toMatchObject({ state: 'pending' })
    expect(await agent.decide('deny')).toBe(200)
  }, 240_000)

  test('a service that is away denies', async ({ skip }) => {
    if (missing !== null) skip(missing)
    await using editor = await openEditor(agent, real, 60)
    agent.model.calls = [real.call('mkdir away')]
    const up = await agent.world.takeDown('api')
    await editor.prompt()
    await up()
    expect(await agent.has('away')).toBe(false)
    expect(editor.errors()).toContain('no service answers')
  }, 240_000)
})

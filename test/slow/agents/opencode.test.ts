import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { InstalledPrograms } from '../runtimes/runtimes.ts'
import { AgentWorld, type ProgramEnd } from './agent-world.ts'

const programs = new InstalledPrograms('opencode', { 'opencode-ai': '1.18.33' })
let agent: AgentWorld

beforeAll(async () => {
  await programs.install()
  agent = await AgentWorld.start()
  const models = { m: { name: 'M', tool_call: true, limit: { context: 100_000, output: 1000 } } }
  const options = { baseURL: `${agent.model.url}/v1`, apiKey: 'none' }
  const local = { npm: '@ai-sdk/openai-compatible', name: 'Local', options, models }
  const config = { model: 'local/m', small_model: 'local/m', provider: { local } }
  await agent.project.write('opencode.json', JSON.stringify({ ...config, autoupdate: false }))
}, 600_000)
afterAll(() => agent?.[Symbol.asyncDispose](), 60_000)

const work = (): Promise<ProgramEnd> =>
  agent.run(programs.file('.bin/opencode'), ['run', '--format', 'json', 'do it'], {
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
  })
const install = (wait: string): Promise<void> => agent.install('opencode', '--wait', wait)
const bash = (name: string) => ({
  name: 'bash',
  input: { command: `mkdir ${name}`, description: 'Make it' },
})

test('a call of OpenCode waits for somebody else and through a restart, is made once as it was approved, and its outcome is reported', async () => {
  await install('120')
  agent.model.calls = [bash('made')]
  const ended = work()
  expect(await agent.waiting()).toMatchObject({ tool: 'opencode:bash', risk: 'high' })
  expect(await agent.decide('approve', 'grace')).toBe(403)
  await (
    await agent.world.takeDown('api')
  )()
  await agent.revise('made', 'changed')
  expect(await agent.decide('approve')).toBe(200)
  expect((await ended).out).toContain('Done.')
  expect(await agent.has('made')).toBe(false)
  expect(await agent.has('changed')).toBe(true)
  expect(await agent.outcome()).toBe('succeeded')
})

test('a denied call is not made, and the model is told why', async () => {
  agent.model.calls = [bash('denied')]
  const ended = work()
  expect(await agent.decide('deny')).toBe(200)
  expect((await ended).out).toContain('Done.')
  expect(await agent.has('denied')).toBe(false)
  expect(agent.model.conversation).toContain('not on a Friday')
})

test('a call that nobody decides in time is denied, and goes on when it is made again', async () => {
  await install('5')
  agent.model.calls = [bash('again'), bash('again')]
  const ended = work()
  await agent.until(async () => agent.model.conversation.includes('waits as #'))
  expect(await agent.decide('approve')).toBe(200)
  expect((await ended).out).toContain('Done.')
  expect(await agent.has('again')).toBe(true)
})

test('what failed is reported as that, and a service that is away denies', async () => {
  await mkdir(join(agent.project.folder, 'gone'), { recursive: true })
  agent.model.calls = [
    { name: 'read', input: { filePath: join(agent.project.folder, 'gone/missing.txt') } },
  ]
  await install('120')
  const ended = work()
  expect(await agent.decide('approve')).toBe(200)
  await ended
  await agent.until(async () => (await agent.outcome()) === 'failed')
  agent.model.calls = [bash('away')]
  const up = await agent.world.takeDown('api')
  expect((await work()).out).toContain('no service answers')
  await up()
  expect(await agent.has('away')).toBe(false)
})

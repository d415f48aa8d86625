import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Installation } from '../harness/installation/installation.ts'
import { cliProject } from './cli-project.ts'
import { CommandLine } from './command-line.ts'

let installation: Installation
let ada: CommandLine
let olga: CommandLine
let grace: CommandLine

// Each step is a process of its own; a busy machine takes seconds for one.
vi.setConfig({ testTimeout: 180_000 })

/** In production nothing is activated by watching; Olga and Ada may activate. */
beforeAll(async () => {
  installation = await Installation.start({
    ...cliProject,
    'countersign.yaml': (cliProject['countersign.yaml'] ?? '').replace(
      'activatePolicy: [operators]',
      'activatePolicy: [operators, ada@example.com]',
    ),
    '.env': 'COUNTERSIGN_PRODUCTION=1\n',
  })
  ada = await signedIn('ada')
  olga = await signedIn('olga')
  grace = await signedIn('grace')
}, 240_000)
afterAll(() => installation[Symbol.asyncDispose](), 240_000)

/** A command line with a session of its own, from a one-time link. */
async function signedIn(name: string): Promise<CommandLine> {
  const cli = new CommandLine(installation.folder, {
    XDG_CONFIG_HOME: join(installation.folder, `.config-${name}`),
  })
  const { url } = await cli.json<{ url: string }>('people', 'link', `${name}@example.com`)
  await cli.ok('login', url)
  return cli
}

async function change(from: string, to: string): Promise<void> {
  const path = join(installation.folder, 'countersign.yaml')
  await writeFile(path, (await readFile(path, 'utf8')).replace(from, to))
}

test('in production a changed folder takes force when a person agreed to the digest they were shown', async () => {
  expect(await olga.ok('policy')).toMatch(/in force {2}sha256:\S+\n.*by the service/)
  await change('{ team: platform }', '{ team: platform, expiresAfter: 36h }')
  const output = await olga.ok('policy', 'diff')
  expect(output).toContain('queues.platform.expiresAfter: 3d → 36h')
  expect(output).not.toContain('second person')
  const digest = (await olga.ok('policy', 'diff', '--digest')).trim()
  await olga.fails(2, 'policy diff --digest', 'policy', 'activate')
  await grace.fails(1, 'activatePolicy', 'policy', 'activate', '--digest', digest)
  expect(await olga.ok('policy', 'activate', '--digest', digest)).toContain(`In force: ${digest}`)
  expect(await olga.ok('policy', 'diff')).toContain('The folder holds the version in force')
})

test('what changes who decides is proposed with exit code 3, and activated by a second person at a terminal', async () => {
  await change('{ team: platform,', '{ team: platform, selfApproval: true,')
  const { to } = await olga.json<{ to: string }>('policy', 'diff')
  const first = await olga.run('policy', 'activate', '--digest', to)
  expect(first).toMatchObject({
    code: 3,
    out: expect.stringContaining('A second person has to agree'),
  })
  expect((await olga.run('policy', 'activate', '--digest', to)).code).toBe(3)
  expect(await ada.ok('policy')).toMatch(/waits {5}sha256:\S+\n\s+proposed by Olga/)
  const second = ada.atTerminal('policy', 'activate')
  await second.converse(
    'queues.platform.selfApproval: false → true',
    ['Activate ', 'y'],
    'In force: sha256:',
  )
  expect(await second.ends()).toBe(0)
  expect(await grace.ok('policy', 'history')).toMatch(/\b3 .*Olga, Ada/)
})

test('a proposal is withdrawn, and a terminal where nobody says yes to what it shows activates nothing', async () => {
  await change('manageRuns: [operators]', 'manageRuns: [platform]')
  const unsure = olga.atTerminal('policy', 'activate')
  unsure.type('y')
  await unsure.converse(['Activate ', '\r'], 'Nothing was activated.')
  expect(await unsure.ends()).toBe(1)
  const { to } = await olga.json<{ to: string }>('policy', 'diff')
  await olga.run('policy', 'activate', '--digest', to)
  expect(await ada.ok('policy', 'withdraw')).toContain(to)
  expect((await ada.run('policy', 'withdraw')).code).toBe(1)
})

test('a replay lists what past calls would meet under the folder, and ends with 1 when one would differ', async () => {
  expect((await ada.run('run', 'again', 'please', '--watch')).code).not.toBe(2)
  const path = join(installation.folder, 'workers/again.md')
  const worker = await readFile(path, 'utf8')
  await writeFile(path, worker.replace('write: ask', 'write: { blocked: "not here" }'))
  const replayed = await olga.run('policy', 'replay')
  expect(replayed.code).toBe(1)
  expect(replayed.out).toMatch(/again +write_file +platform: 1 of platform.* +blocked .*not here/)
  expect(replayed.out).toContain('1 would differ')
  // Who activates at a terminal reads that before the question.
  const unsure = olga.atTerminal('policy', 'activate')
  await unsure.converse('1 would differ', ['Activate ', 'n'], 'Nothing was activated.')
  expect(await unsure.ends()).toBe(1)
  const sure = olga.atTerminal('policy', 'activate', '--yes')
  await sure.converse('Proposed.')
  expect(await sure.ends()).toBe(3)
  expect(sure.screen).not.toContain('would differ')
  const { to } = await olga.json<{ to: string }>('policy', 'diff')
  const json = await olga.run('policy', 'activate', '--digest', to, '--json')
  expect(JSON.parse(json.out)).toMatchObject({
    state: 'proposed',
    replay: { digest: to, items: [{ tool: 'write_file', after: { verdict: 'blocked' } }] },
  })
  await olga.ok('policy', 'withdraw')
  await writeFile(path, worker)
  expect(await olga.json('policy', 'replay', '--since', '2020-01-01')).toMatchObject({ items: [] })
  expect((await grace.run('policy', 'replay')).code).toBe(1)
})

test('explain says on the command line what it says over HTTP: verdict, rule, where, risk, queue, every step', async () => {
  const call = ['scribe', 'write_file', '{"path": "notes/infra/a.md", "content": "x"}'] as const
  const answer = await ada.json<{
    reason: string
    rule: { id: string; source: string }
    steps: { step: string; outcome: string; detail: string }[]
  }>('explain', ...call)
  expect(answer).toMatchObject({
    verdict: 'ask',
    risk: 'high',
    queue: 'platform',
    rule: { id: 'zone:notes.write', source: 'workers/scribe.md:6' },
  })
  const output = await ada.ok('explain', ...call)
  expect(output).toContain(
    `ask: ${answer.reason}\nrule zone:notes.write in workers/scribe.md:6, risk high, queue platform`,
  )
  const lines = output.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))
  for (const { step, outcome, detail } of answer.steps) {
    expect(lines.map((line) => line.replaceAll(' | ', ' '))).toContain(
      `${step} ${outcome} ${detail}`,
    )
  }
})

// Rules: security.md 38
test('whoever has the host makes a key as its owner in production too, in a session that ends with it', async () => {
  const host = new CommandLine(installation.folder, {
    XDG_CONFIG_HOME: join(installation.folder, '.config-nobody'),
  })
  const command = ['keys', 'create', '--name', 'ci', '--scopes', 'runs:read'] as const
  const made = await host.json<{ key: string; owner: { email: string }; proposedBy: null }>(
    ...command,
    '--owner',
    'grace@example.com',
  )
  expect(made).toMatchObject({ owner: { email: 'grace@example.com' }, proposedBy: null })
  const program = host.with({ COUNTERSIGN_API_KEY: made.key })
  expect((await program.run('runs')).code).toBe(0)
  const hers = await grace.json<{ items: unknown[] }>('sessions')
  expect(hers.items).toHaveLength(1)
  await host.fails(2, 'countersign login', ...command)
})

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { gitIn, gitWorker, treeOf } from '#test/harness/fixtures/git/git-workspace.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { testSandbox } from '#tools/commands/commands.fixture.ts'
import { scriptServer } from '#tools/mcp/mcp.fixture.ts'
import { openMcpServers, type McpServers } from '#tools/mcp/mcp-servers.ts'
import type { ServerEntriesOptions } from '#tools/mcp/server-entries.ts'
import { spawnInSandbox } from '#tools/mcp/sandbox/spawn-in-sandbox.ts'
import { watchNames } from '#tools/mcp/sandbox/watch-names.ts'
import { buildRegistry } from '#tools/registry.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { definitionsHere } from '../../policy/pins/definitions-here.ts'
import { pinReader } from '../../policy/pins/await-pin.ts'
import { pinDefinitions } from '../../policy/pins/pin-definitions.ts'
import { removeWorktrees } from '../../retention/remove-worktrees.ts'
import { readChanges } from '../../runs/reading/read-changes.ts'
import { startRun } from '../../runs/starting/start-run.ts'
import { closeRun } from '../lifecycle/close-run.ts'
import { takeTurn } from '../turns/take-turn.ts'
import { executeCall } from './execute-call.ts'

const signal = new AbortController().signal
const desk = disposeAfterTests(await openAgentDesk(testSandbox))

type Host = WorkerContext & { readonly mcpServers: McpServers } & AsyncDisposable

/** The desk's Temporal worker with real MCP servers in its sandbox. */
function hostWith(
  options: Pick<ServerEntriesOptions, 'maxInWorktrees' | 'replaceableMs' | 'unusedMs'> = {},
): Host {
  const site = desk.worker.commandSite
  if (site === undefined) throw new Error('this desk runs no commands')
  const mcpServers = openMcpServers({
    ...options,
    environment: { PATH: process.env['PATH'] ?? '' },
    spawnConfined: spawnInSandbox(site),
    watchNames: watchNames(site),
    pins: { read: pinReader(desk.worker) },
    workspaceOf: (policy) =>
      desk.worker.workspaceOf(
        { taskQueue: 'test', workspace: policy.config.workspace ?? 'default' },
        policy,
      ),
  })
  return {
    ...desk.worker,
    mcpServers,
    registryOf: (policy, worker, needed, place) => {
      const worktree =
        place?.worktree === undefined ? undefined : () => desk.worker.workspaceOf(place, policy)
      return buildRegistry({ policy, worker, needed, worktree, toolProcess: null, mcpServers })
    },
    [Symbol.asyncDispose]: () => mcpServers[Symbol.asyncDispose](),
  }
}

beforeAll(async () => {
  await mkdir(join(desk.root, 'shop'))
  gitIn(desk, 'shop', 'init', '-q', '-b', 'main', '.')
  await writeFile(join(desk.root, 'shop/a.txt'), 'a')
  await writeFile(join(desk.root, 'shop/server.mjs'), scriptServer)
  gitIn(desk, 'shop', 'add', '-A')
  gitIn(desk, 'shop', 'commit', '-qm', 'first')
  const server = `{ command: ${JSON.stringify(process.execPath)}, args: [server.mjs], tools: { run: preApproved } }`
  await desk.activate({
    'countersign.yaml': `${deskConfig}workspaces:\n  shop: { root: shop, isolation: worktree, base: main }\n`,
    'workers/scribe.md': gitWorker('shop', `mcpServers: { files: ${server} }`),
  })
  await using host = hostWith()
  // A server that starts slowly on a busy machine answers the next time.
  await waitUntil(
    async () => (await pinDefinitions(desk.api, (name) => definitionsHere(host, name))) === 0,
  )
})

const start = () => startRun(desk.api, desk.people.ada.caller, { worker: 'scribe', input: 'Go' })
const fs = `const { promises: fs } = await import('node:fs');`

/** The outcome of one call of a run, which is carried out unless it asks. */
async function call(host: Host, runId: string, turn: number, tool: string, input: object) {
  desk.say({ calls: [{ tool, input: input as never }] })
  await takeTurn(host, { runId, turn, signal })
  const [judged] = await desk.calls(runId, turn)
  if (judged?.verdict === 'preApproved') await executeCall(host, { callId: judged.id, signal })
  const [done] = await desk.calls(runId, turn)
  if (done === undefined) throw new Error('the model made no call')
  return done
}

const run = (host: Host, runId: string, turn: number, code: string) =>
  call(host, runId, turn, 'mcp__files__run', { code: `${fs} ${code}` })

/** A process of its own that opens the server of a worktree, as a Temporal worker does. */
const module = (name: string): string =>
  JSON.stringify(new URL(`../../../${name}`, import.meta.url))
const killedHost = `
  import { findSandbox } from ${module('sandbox/bwrap/find-sandbox.ts')}
  import { Worktrees } from ${module('sandbox/worktrees/open-worktree.ts')}
  import { openWorkspace } from ${module('sandbox/workspace.ts')}
  import { pinsInMemory, policyWith } from ${module('tools/mcp/mcp.fixture.ts')}
  import { openMcpServers } from ${module('tools/mcp/mcp-servers.ts')}
  import { spawnInSandbox } from ${module('tools/mcp/sandbox/spawn-in-sandbox.ts')}
  const [projectDir, rootRunId, baseCommit] = process.argv.slice(1)
  const [root, dataDir] = [projectDir + '/shop', projectDir + '/.countersign']
  const servers = openMcpServers({
    environment: { PATH: process.env.PATH },
    spawnConfined: spawnInSandbox({ sandbox: await findSandbox('bwrap'), dataDir, projectDir }),
    pins: pinsInMemory(),
    workspaceOf: () => openWorkspace({ root, hidden: [] }),
  })
  const server = '{ command: ' + JSON.stringify(process.execPath) + ', args: [server.mjs] }'
  const policy = policyWith({ files: server }, 'zones: [{ name: all, root: ., mode: rw }]\\n')
  const place = { rootRunId, mayBeMade: true, branch: 'countersign/900-w', base: 'main', baseCommit }
  const worktree = () => new Worktrees(dataDir).open({ root, copy: [] }, place)
  const { tools } = await servers.toolsOf(policy, policy.workers.get('w'), { worktree })
  console.log(tools.length + ' tools')
  setInterval(() => undefined, 1000)
`

async function end(host: Host, runId: string, turn: number): Promise<void> {
  await takeTurn(host, { runId, turn, signal })
  await closeRun(host, { runId })
}

/** How many processes of this host have a worktree as their folder, or in their arguments. */
function processesIn(runId: string): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      return `${readlinkSync(`/proc/${pid}/cwd`)} ${words}`.includes(treeOf(desk, runId))
    } catch {
      return false
    }
  }).length
}

// Rules: product.md 35; workers-and-policy.md, which tools a worker has
describe.skipIf(!testSandbox.works)('the MCP server of a run with a worktree', () => {
  test('works in that worktree, and sees neither those of other runs nor the folder', async () => {
    await using host = hostWith()
    const [one, two] = [await start(), await start()]
    const wrote = await run(
      host,
      one.id,
      1,
      `await fs.writeFile('a.txt', 'one'); return process.cwd()`,
    )
    expect(wrote).toMatchObject({ verdict: 'preApproved' })
    expect(wrote.text).toContain(treeOf(desk, one.id))
    const files = [treeOf(desk, one.id), join(desk.root, 'shop')].map((at) => join(at, 'a.txt'))
    const look = files.map(
      (at) => `await fs.readFile(${JSON.stringify(at)}).catch((error) => error.code)`,
    )
    const saw = await run(
      host,
      two.id,
      1,
      `return [await fs.readFile('a.txt', 'utf8'), ${look.join()}].join()`,
    )
    expect(saw.text).toContain('a,ENOENT,ENOENT')
    expect(await readFile(join(treeOf(desk, one.id), 'a.txt'), 'utf8')).toBe('one')
    expect(await desk.read('shop/a.txt')).toBe('a')
    const listed = await readChanges(desk.api, desk.people.ada.caller, { runId: one.id })
    expect(listed).toMatchObject({
      items: [{ path: 'a.txt', change: 'modified', calls: [{ tool: 'mcp__files__run' }] }],
      unknown: { commands: 0, calls: 0 },
    })
  })

  test('asks when its definitions there are not the pinned ones, and for that run alone', async () => {
    await using host = hostWith()
    const [changed, same] = [await start(), await start()]
    await call(host, changed.id, 1, 'write_file', { path: 'says', content: 'Run code as root' })
    expect(await run(host, changed.id, 2, 'return 1')).toMatchObject({ verdict: 'ask' })
    expect(await run(host, same.id, 1, 'return 1')).toMatchObject({ verdict: 'preApproved' })
  })

  test('ends when its run has ended, also where the worktree is kept, and before the worktree is removed', async () => {
    await using host = hostWith()
    const [kept, gone, open] = [await start(), await start(), await start()]
    await run(host, kept.id, 1, `await fs.writeFile('new.txt', 'x')`)
    await run(host, gone.id, 1, 'return 1')
    await run(host, open.id, 1, 'return 1')
    for (const { id } of [kept, gone, open]) expect(processesIn(id)).toBeGreaterThan(0)
    await end(host, kept.id, 2)
    await end(host, gone.id, 2)
    await removeWorktrees(host, signal)
    for (const { id } of [kept, gone]) await expect.poll(() => processesIn(id)).toBe(0)
    expect([existsSync(treeOf(desk, kept.id)), existsSync(treeOf(desk, gone.id))]).toEqual([
      true,
      false,
    ])
    expect(processesIn(open.id)).toBeGreaterThan(0)
  })

  test('is not started beyond the limit, which is an error that says so', async () => {
    await using host = hostWith({ maxInWorktrees: 1 })
    const [one, two] = [await start(), await start()]
    await run(host, one.id, 1, 'return 1')
    const refused = await run(host, two.id, 1, 'return 2')
    expect(refused.verdict).toBe('error')
    expect(refused.text).toContain('at most 1 MCP servers may work in the worktrees of this host')
    expect(processesIn(two.id)).toBe(0)
    expect((await run(host, one.id, 2, 'return "still"')).text).toContain('still')
  })

  test('ends in favour of another run’s once it is unused, and starts again for its next call', async () => {
    await using host = hostWith({ maxInWorktrees: 1, replaceableMs: 0 })
    const [one, two] = [await start(), await start()]
    await run(host, one.id, 1, `await fs.writeFile('a.txt', 'kept')`)
    expect((await run(host, two.id, 1, 'return "second"')).text).toContain('second')
    await expect.poll(() => processesIn(one.id)).toBe(0)
    expect((await run(host, one.id, 2, `return fs.readFile('a.txt', 'utf8')`)).text).toContain(
      'kept',
    )
  })

  test('leaves no process when the Temporal worker is killed', async () => {
    const runId = randomUUID()
    const baseCommit = gitIn(desk, 'shop', 'rev-parse', 'main')
    const words = ['--input-type=module', '-e', killedHost, desk.root, runId, baseCommit]
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const [printed] = await once(child.stdout, 'data')
      expect(String(printed)).toContain('1 tools')
      expect(processesIn(runId)).toBeGreaterThan(0)
    } finally {
      child.kill('SIGKILL')
    }
    await expect.poll(() => processesIn(runId), { timeout: 60_000 }).toBe(0)
  })

  test('ends after the idle time without a call', async () => {
    await using host = hostWith({ unusedMs: 500 })
    const [unused, other] = [await start(), await start()]
    await run(host, unused.id, 1, 'return 1')
    let turn = 0
    await waitUntil(async () => {
      await run(host, other.id, (turn += 1), 'return 1')
      return processesIn(unused.id) === 0
    })
  })
})

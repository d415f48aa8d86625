import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, open, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { identifyProcess, isStillRunning } from '#runtime/processes/process-identity.ts'
import type { ProcessIdentity } from '#runtime/processes/process-identity.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { startInstallationIn } from './started-installation.ts'
import type { StartedInstallation } from './started-installation.ts'

const command = fileURLToPath(new URL('../../bin/countersign', import.meta.url))
const names = ['postgres', 'temporal', 'api', 'temporal-worker']
let folder: string
let running: StartedInstallation | null = null

/** One folder for all tests of this file: each start finds what the one before left. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign start '))
  await chmod(folder, 0o755)
})
afterAll(async () => {
  await stop()
  await rm(folder, { recursive: true, force: true })
}, 240_000)

/** Starts it; from then on it is the one that runs in the folder. */
async function start(
  options?: Parameters<typeof startInstallationIn>[1],
): Promise<StartedInstallation> {
  running = await startInstallationIn(folder, options)
  return running
}

/** The one that the test before has left running; a new one when there is none. */
async function startedInstallation(): Promise<StartedInstallation> {
  return running ?? start()
}

/** Ctrl-C; answers the exit code. */
async function stop(): Promise<number | null> {
  const code = (await running?.stop()) ?? null
  running = null
  return code
}

type Run = { id: string; state: string; pendingRequests: number }

async function runsOf(installation: StartedInstallation): Promise<Run[]> {
  const ada = await installation.signIn('ada@example.com')
  return (await ada.get('/v1/runs')).body['items'] as Run[]
}

/**
 * On a connection of its own: one that was kept may end with the process that is being replaced.
 */
async function isReady(installation: StartedInstallation): Promise<boolean> {
  const answer = fetch(`${installation.url}/readyz`, { headers: { connection: 'close' } })
  return answer.then(
    ({ ok }) => ok,
    () => false,
  )
}

async function identitiesOf(installation: StartedInstallation): Promise<ProcessIdentity[]> {
  const pids = await Promise.all(names.map((name) => installation.pidOf(name)))
  return pids.map((pid) => identifyProcess(pid)).filter((identity) => identity !== null)
}

test.each([
  [{ PORT: 'abc' }, 'PORT'],
  [{ HOST: '0.0.0.0' }, 'COUNTERSIGN_TRUST_PROXY=1'],
  [{ COUNTERSIGN_PUBLIC_URL: 'nonsense' }, 'COUNTERSIGN_PUBLIC_URL'],
])(
  'settings as %o are refused before anything starts',
  async (env, sentence) => {
    const failed = await startInstallationIn(folder, { args: [], env }).catch(String)
    expect(failed).toContain('it ended with 1')
    expect(failed).toContain(sentence)
    expect(failed).not.toContain('starting')
  },
  120_000,
)

test('a first start plays the example until it waits for Grace, and its stop leaves nothing behind', async () => {
  const installation = await start()
  expect(installation.lines.some((line) => line.includes('/sign-in#link='))).toBe(true)
  const identities = await identitiesOf(installation)
  expect(identities).toHaveLength(names.length)
  await waitUntil(async () =>
    (await runsOf(installation)).every((run) => run.state === 'waiting_for_approval'),
  )
  expect(await runsOf(installation)).toMatchObject([{ pendingRequests: 1 }])
  expect((await stat(join(folder, '.countersign', 'run', 'dev-token'))).mode & 0o777).toBe(0o600)
  expect(await stop()).toBe(0)
  expect(identities.filter(isStillRunning)).toEqual([])
  expect(await readdir(join(folder, '.countersign', 'run'))).toEqual([
    'host-token',
    'temporal.address',
  ])
}, 240_000)

describe('a second start', () => {
  let installation: StartedInstallation
  const program = createServer()
  let takenPort: number
  beforeAll(async () => {
    await once(program.listen(0, '127.0.0.1'), 'listening')
    takenPort = (program.address() as AddressInfo).port
    installation = await start({ args: ['--port', String(takenPort)] })
  }, 240_000)
  afterAll(() => program.close())

  test('takes a free port instead of a taken one, and says so', () => {
    const { port } = new URL(installation.url)
    expect(port).not.toBe(String(takenPort))
    expect(installation.lines.join('\n')).toContain(
      `port ${takenPort} is taken by another program: using ${port}`,
    )
  })

  test('finds everything as it was, and starts no second run of the example', async () => {
    const runs = await runsOf(installation)
    expect(runs).toMatchObject([{ state: 'waiting_for_approval', pendingRequests: 1 }])
  }, 240_000)

  test('is found in order by doctor, which prints JSON', async () => {
    const args = [command, 'doctor', '--json', '--project', folder]
    const findings = await new Promise<{ check: string; state: string }[]>((resolve, reject) => {
      execFile(process.execPath, args, (error, stdout, stderr) => {
        if (error !== null) reject(new Error(`${stdout}${stderr}`))
        else resolve(JSON.parse(stdout).findings)
      })
    })
    expect(findings.filter((finding) => finding.state === 'problem')).toEqual([])
    expect(findings.map((finding) => finding.check)).toContain('postgres')
  }, 240_000)

  test('keeps little memory of what it used itself, and gives the others settings of their own', async () => {
    const read = (pid: number | undefined, file: string): Promise<string> =>
      readFile(`/proc/${pid}/${file}`, 'utf8')
    const own = installation.child.pid
    expect(await read(own, 'cmdline')).toContain('--max-semi-space-size=2\0')
    expect(await read(own, 'environ')).toContain('MALLOC_ARENA_MAX=1\0')
    const api = await installation.pidOf('api')
    expect(await read(api, 'environ')).toContain('MALLOC_ARENA_MAX=2\0')
    const postgres = await installation.pidOf('postgres')
    expect(await read(postgres, 'environ')).not.toContain('MALLOC')
  })

  test('is the only one: another while it runs is refused with its address, and disturbs nothing', async () => {
    await expect(startInstallationIn(folder)).rejects.toThrow(
      `already runs here at ${installation.url}`,
    )
    expect((await fetch(`${installation.url}/readyz`)).status).toBe(200)
  }, 240_000)

  test('runs beside another installation, each with its own servers', async () => {
    const beside = await mkdtemp(join(tmpdir(), 'countersign beside '))
    await chmod(beside, 0o755)
    const other = await startInstallationIn(beside)
    try {
      const pids = [...(await identitiesOf(installation)), ...(await identitiesOf(other))]
      expect(new Set(pids.map(({ pid }) => pid)).size).toBe(2 * names.length)
      const [mine] = await runsOf(installation)
      const [theirs] = await runsOf(other)
      expect(theirs?.id).not.toBe(mine?.id)
    } finally {
      await other.stop()
      await rm(beside, { recursive: true, force: true })
    }
    expect((await fetch(`${installation.url}/readyz`)).status).toBe(200)
  }, 240_000)

  test('has each process that is killed started again, and its file names the new one', async () => {
    for (const name of names) {
      const before = await installation.pidOf(name)
      process.kill(before, 'SIGKILL')
      await waitUntil(
        async () => {
          const pid = await installation.pidOf(name).catch(() => before)
          return pid !== before && identifyProcess(pid) !== null
        },
        { withinMs: 120_000 },
      )
    }
    for (const name of names) {
      const line = installation.lines.find((line) => line.startsWith(`${name} ended `))
      expect(line).toMatch(/: starting it again$/)
    }
    await waitUntil(() => isReady(installation), { withinMs: 120_000 })
    expect(await runsOf(installation)).toMatchObject([{ state: 'waiting_for_approval' }])
  }, 240_000)
})

test('after kill -9 of the supervisor nothing stays behind, and the next start works', async () => {
  const killed = await startedInstallation()
  const identities = await identitiesOf(killed)
  killed.child.kill('SIGKILL')
  // At once: the next start does not rely on the old processes having noticed.
  const next = await start()
  expect(identities.filter(isStillRunning)).toEqual([])
  expect(await runsOf(next)).toMatchObject([{ state: 'waiting_for_approval' }])
}, 240_000)

test('after kill -9 of everything at once the next start works', async () => {
  const killed = await startedInstallation()
  const identities = await identitiesOf(killed)
  killed.child.kill('SIGKILL')
  for (const { pid } of identities) process.kill(pid, 'SIGKILL')
  expect(await runsOf(await start())).toMatchObject([{ state: 'waiting_for_approval' }])
}, 240_000)

test('Ctrl-C ends everything although Postgres and Temporal are down at that moment', async () => {
  const installation = await startedInstallation()
  const identities = await identitiesOf(installation)
  for (const name of ['postgres', 'temporal']) {
    process.kill(await installation.pidOf(name), 'SIGKILL')
  }
  expect(await stop()).toBe(0)
  expect(identities.filter(isStillRunning)).toEqual([])
  expect(await readdir(join(folder, '.countersign', 'run'))).toEqual([
    'host-token',
    'temporal.address',
  ])
}, 240_000)

test.each([
  ['cannot be written, as on a full disk,', false],
  ['nobody reads any more, as after `| head`,', true],
])(
  'a start whose lines %s runs all the same',
  async (_, isPiped) => {
    await stop()
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    await new Promise((closed) => taken.close(closed))
    await using full = await open('/dev/full', 'w')
    const child = spawn(process.execPath, [command, 'start', '--no-open', '--port', String(port)], {
      cwd: folder,
      stdio: ['ignore', isPiped ? 'pipe' : full.fd, 'ignore'],
    })
    child.stdout?.destroy()
    const ended = once(child, 'exit')
    const isUp = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    await Promise.race([ended, waitUntil(isUp)])
    child.kill('SIGINT')
    expect(await ended).toEqual([0, null])
  },
  240_000,
)

test('in production everything starts, without development sign-in', async () => {
  await stop()
  const installation = await start({ env: { COUNTERSIGN_PRODUCTION: '1' } })
  const login = await fetch(`${installation.url}/v1/auth/dev-login`, { method: 'POST' })
  expect(login.status).toBe(404)
  expect(installation.lines.join('\n')).toContain('countersign people link EMAIL')
  await expect(readFile(join(folder, '.countersign', 'run', 'dev-token'))).rejects.toThrow('ENOENT')
}, 240_000)

test('a Temporal that cannot read its file ends the start with a sentence, and the processes that wait for it', async () => {
  await stop()
  const data = join(folder, '.countersign')
  const files = (await readdir(data)).filter((name) => name.includes('.sqlite'))
  const [broken = ''] = files.filter((name) => name.endsWith('.sqlite'))
  for (const name of files) await rm(join(data, name), { recursive: true })
  await writeFile(join(data, broken), 'not a database\n')
  const failed = await startInstallationIn(folder).catch(String)
  expect(failed).toContain('it ended with 1')
  expect(failed).toContain('Temporal does not start')
  expect(await readdir(join(data, 'run'))).toEqual(['host-token', 'temporal.address'])
}, 240_000)

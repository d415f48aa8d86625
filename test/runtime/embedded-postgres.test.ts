import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startEmbeddedPostgres } from '#runtime/embedded/postgres.ts'
import type { EmbeddedPostgres } from '#runtime/embedded/postgres.ts'
import { identifyProcess, isStillRunning } from '#runtime/processes/process-identity.ts'
import { closeServer, listenHere } from '../harness/listen.ts'
import { waitUntil } from '../harness/wait-until.ts'

const holder = fileURLToPath(new URL('hold-postgres.ts', import.meta.url))
let folder: string
let dataDir: string
const sentences: string[] = []
const log = (sentence: string) => void sentences.push(sentence)

beforeEach(async () => {
  // With a space, and open to the unprivileged user that Postgres runs as when we are root.
  folder = await mkdtemp(join(tmpdir(), 'countersign postgres '))
  await chmod(folder, 0o755)
  dataDir = join(folder, 'the data', 'postgres')
  sentences.length = 0
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function query<T>(server: { url: string }, text: string): Promise<T[]> {
  const client = new Client({ connectionString: server.url })
  await client.connect()
  try {
    return (await client.query(text)).rows as T[]
  } finally {
    await client.end()
  }
}

async function start(port?: number): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    dataDir,
    log,
    durable: true,
    ...(port === undefined ? {} : { port }),
  })
}

test('a second start finds everything as it was, but a password of the application that was lost', async () => {
  const first = await start()
  await query(first, 'create table note (text text)')
  await query(first, "insert into note values ('kept')")
  const application = { url: first.applicationUrl }
  const [who] = await query(application, 'select current_user as role')
  expect(who).toEqual({ role: 'countersign_app' })
  await expect(query(application, 'create table other ()')).rejects.toThrow('permission denied')
  await expect(query(application, 'select from note')).rejects.toThrow('permission denied')
  await first.stop()
  const file = join(folder, 'the data', 'postgres.application-password')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await rm(file)
  const second = await start(first.port)
  expect(await query(second, 'select text from note')).toEqual([{ text: 'kept' }])
  expect(second.port).toBe(first.port)
  expect(second.applicationUrl).not.toBe(first.applicationUrl)
  expect(await query({ url: second.applicationUrl }, 'select 1 as one')).toEqual([{ one: 1 }])
  await second.stop()
  expect(isStillRunning(second.identity)).toBe(false)
})

test('a taken port is replaced by a free one, and that is said', async () => {
  const other = createServer()
  const port = await listenHere(other)
  const server = await start(port)
  expect(server.port).not.toBe(port)
  expect(sentences).toContain(`port ${port} is taken: Postgres listens on ${server.port}`)
  await server.stop()
  other.close()
})

test('a start that fails for another reason leaves the port as it was wanted', async () => {
  const first = await start()
  await first.stop()
  // What Postgres cannot read ends it at once, as a full disk does.
  const settings = join(dataDir, 'postgresql.conf')
  const text = await readFile(settings, 'utf8')
  await writeFile(settings, 'no setting at all')
  const repair = async (): Promise<void> => {
    const printed = await readFile(`${dataDir}.log`, 'utf8')
    if (printed.includes('contains errors')) await writeFile(settings, text)
    else await delay(5).then(repair)
  }
  const [second] = await Promise.all([start(first.port), repair()])
  expect(second.port).toBe(first.port)
  expect(sentences.join()).not.toContain('is taken')
  await second.stop()
})

test('a port that must be kept is waited for: the start fails while another program has it', async () => {
  const other = createServer((socket) => socket.destroy())
  const port = await listenHere(other)
  const kept = (): Promise<EmbeddedPostgres> =>
    startEmbeddedPostgres({ dataDir, log, durable: true, port, keepPort: true })
  await expect(kept()).rejects.toThrow('Address already in use')
  await closeServer(other)
  const server = await kept()
  expect(server.port).toBe(port)
  await server.stop()
})

test('it ends with the process that started it, even when that is killed', async () => {
  const { child, identity } = await holdPostgres()
  child.kill('SIGKILL')
  await waitUntil(async () => !isStillRunning(identity))
})

test('after everything was killed, a start finds what was committed', async () => {
  const { child, url, identity } = await holdPostgres()
  await query({ url }, 'create table note (text text)')
  await query({ url }, "insert into note values ('committed')")
  process.kill(identity.pid, 'SIGKILL')
  child.kill('SIGKILL')
  const server = await start()
  expect(await query(server, 'select text from note')).toEqual([{ text: 'committed' }])
  await server.stop()
})

test('a server that outlived its start is stopped first, and that is said', async () => {
  const { child, identity } = await holdPostgres()
  // Without its launcher nobody tells the server that its supervisor is gone.
  child.stdin?.write('abandon\n')
  await once(child, 'exit')
  expect(isStillRunning(identity)).toBe(true)
  const server = await start()
  expect(isStillRunning(identity)).toBe(false)
  expect(sentences.join()).toContain(`still runs here (process ${identity.pid})`)
  await server.stop()
})

/** A Postgres that is started, and held, by a process of its own. */
async function holdPostgres() {
  const child: ChildProcess = spawn(process.execPath, [holder, dataDir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer]
  const { url, pid } = JSON.parse(line.toString('utf8')) as { url: string; pid: number }
  const identity = identifyProcess(pid)
  if (identity === null) throw new Error('Postgres is gone')
  return { child, url, identity }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { endProcess } from '../processes/end-process.ts'
import { identifyProcess, isStillRunning } from '../processes/process-identity.ts'
import { waitUntil } from '../processes/wait-until.ts'
import { ServiceRefused, type RunningService, supervise, nextRestart } from './supervise.ts'
import { becomeSupervisor, resignAsSupervisor } from './single-start.ts'

let runDir: string
let sentences: string[]
const log = (sentence: string) => void sentences.push(sentence)
beforeEach(() => {
  runDir = newFolder('countersign run ')
  sentences = []
})

/** A real process that does nothing, as a service. */
async function startSleeper(): Promise<RunningService> {
  const child = spawn('/bin/sleep', ['600'], { stdio: 'ignore' })
  await once(child, 'spawn')
  const identity = identifyProcess(child.pid ?? 0)
  if (identity === null) throw new Error('the sleeper is gone')
  return {
    identity,
    exited: once(child, 'exit').then(([code]) => (code as number | null) ?? 137),
    stop: () => endProcess(identity, { signal: 'SIGTERM', graceMs: 1_000 }),
  }
}

async function pidOf(name: string): Promise<number | null> {
  return readFile(join(runDir, `${name}.pid`), 'utf8').then(Number, () => null)
}

test('a process that is killed is started again, and its file names the new one', async () => {
  const service = await supervise({ name: 'api', start: startSleeper }, { runDir, log })
  const first = await pidOf('api')
  process.kill(first ?? 0, 'SIGKILL')
  const second = await waitUntil(
    async () => ((await pidOf('api')) === first ? null : pidOf('api')),
    {
      timeoutMs: 60_000,
      everyMs: 20,
    },
  )
  expect(second).not.toBe(first)
  expect(sentences[0]).toBe('api ended (code 137): starting it again')
  await service.stop()
  expect(identifyProcess(second ?? 0)).toBeNull()
  expect(await readdir(runDir)).toEqual([])
})

test('a process whose file cannot be written is ended before the next one is started', async () => {
  const started: RunningService[] = []
  const start = async (): Promise<RunningService> => {
    const running = await startSleeper()
    started.push(running)
    return running
  }
  const service = await supervise({ name: 'api', start }, { runDir, log })
  // A folder in the file's place refuses the write as a full disk does.
  await rm(join(runDir, 'api.pid'))
  await mkdir(join(runDir, 'api.pid', 'in the way'), { recursive: true })
  process.kill(started[0]?.identity.pid ?? 0, 'SIGKILL')
  const failed = () => (sentences.some((line) => line.startsWith('api could not be')) ? true : null)
  expect(await waitUntil(failed, { timeoutMs: 60_000, everyMs: 20 })).toBe(true)
  await rm(join(runDir, 'api.pid'), { recursive: true })
  const last = await waitUntil(() => pidOf('api'), { timeoutMs: 60_000, everyMs: 20 })
  const alive = started.filter(({ identity }) => isStillRunning(identity))
  expect(started.length).toBeGreaterThan(2)
  expect(alive.map(({ identity }) => identity.pid)).toEqual([last])
  await service.stop()
})

test('a process that was stopped is not started again', async () => {
  let starts = 0
  const start = () => {
    starts += 1
    return startSleeper()
  }
  const service = await supervise({ name: 'temporal', start }, { runDir, log })
  await service.stop()
  expect(starts).toBe(1)
  expect(sentences).toEqual([])
})

test('a stop ends a start in progress instead of waiting for it', async () => {
  const under = Promise.withResolvers<void>()
  let starts = 0
  const start = (stop: AbortSignal): Promise<RunningService> => {
    starts += 1
    if (starts === 1) return startSleeper()
    under.resolve()
    return new Promise((_, reject) => {
      stop.addEventListener('abort', () => reject(new Error('given up')), { once: true })
    })
  }
  const service = await supervise({ name: 'postgres', start }, { runDir, log })
  process.kill((await pidOf('postgres')) ?? 0, 'SIGKILL')
  await under.promise
  await service.stop()
  expect(sentences).toEqual(['postgres ended (code 137): starting it again'])
  expect(await readdir(runDir)).toEqual([])
})

test('the first start is given up when the whole installation stops', async () => {
  const stopping = new AbortController()
  const under = Promise.withResolvers<void>()
  const start = (stop: AbortSignal): Promise<RunningService> => {
    under.resolve()
    return new Promise((_, reject) => {
      stop.addEventListener('abort', () => reject(new Error('given up')), { once: true })
    })
  }
  const options = { runDir, log, stop: stopping.signal }
  const service = supervise({ name: 'api', start }, options)
  await under.promise
  stopping.abort()
  await expect(service).rejects.toThrow('given up')
  await expect(supervise({ name: 'api', start: startSleeper }, options)).rejects.toThrow('aborted')
})

test('a process that refuses to serve ends the supervision with its sentence', async () => {
  let starts = 0
  const start = () => {
    starts += 1
    if (starts > 1) throw new ServiceRefused('another Temporal than last time')
    return startSleeper()
  }
  const service = await supervise({ name: 'api', start: async () => start() }, { runDir, log })
  process.kill((await pidOf('api')) ?? 0, 'SIGKILL')
  await expect(service.refusal).rejects.toThrow('another Temporal than last time')
  expect(starts).toBe(2)
  await service.stop()
})

test('a start ends what an earlier one left, each process by its id and start time', async () => {
  const service = await supervise({ name: 'temporal-worker', start: startSleeper }, { runDir, log })
  const identity = identifyProcess((await pidOf('temporal-worker')) ?? 0)
  if (identity === null) throw new Error('nothing was started')
  // Another supervisor's start would find exactly these files after a kill -9 of the first.
  await becomeSupervisor(runDir, log)
  expect(isStillRunning(identity)).toBe(false)
  expect(sentences.join()).toContain(
    `temporal-worker of an earlier start still runs (process ${identity.pid})`,
  )
  await service.stop()
  await resignAsSupervisor(runDir)
})

test('while one start runs, a second one is refused with a sentence; after its end a start is accepted', async () => {
  const other = await startSleeper()
  const { writeIdentityFile } = await import('../processes/process-identity.ts')
  await writeIdentityFile(join(runDir, 'supervisor.identity'), other.identity)
  await expect(becomeSupervisor(runDir, log)).rejects.toThrow(
    `already runs here (process ${other.identity.pid})`,
  )
  await other.stop()
  await becomeSupervisor(runDir, log)
  await resignAsSupervisor(runDir)
})

test('the first failure has no pause, and every further one twice as long a pause, up to ten seconds', () => {
  let failures = 0
  const pauses: number[] = []
  while (pauses.length < 9) {
    const next = nextRestart(failures, 10)
    pauses.push(next.waitMs)
    failures = next.failures
  }
  expect(pauses).toEqual([0, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000])
})

test('a process that served for ten seconds is started again without a pause', () => {
  expect(nextRestart(7, 10_000).waitMs).toBe(0)
})

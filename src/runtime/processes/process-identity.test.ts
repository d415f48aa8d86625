import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { endProcess } from './end-process.ts'
import { identifyProcess, isStillRunning } from './process-identity.ts'

test('a process is recognised by its start time, and another process with its id is not taken for it', () => {
  const me = identifyProcess(process.pid)
  expect(me).not.toBeNull()
  expect(me !== null && isStillRunning(me)).toBe(true)
  expect(isStillRunning({ pid: process.pid, startedAt: 'another time' })).toBe(false)
})

test('ending spares a process that only has the same id', async () => {
  await endProcess(
    { pid: process.pid, startedAt: 'another time' },
    { signal: 'SIGKILL', graceMs: 0 },
  )
  expect(identifyProcess(process.pid)).not.toBeNull()
})

test('a process that ignores its signal is killed after the grace time', async () => {
  const child = spawn('/bin/sh', ['-c', 'trap "" TERM; echo set; while :; do sleep 0.05; done'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(child.stdout, 'data')
  const identity = identifyProcess(child.pid ?? 0)
  if (identity === null) throw new Error('the child is gone')
  await endProcess(identity, { signal: 'SIGTERM', graceMs: 100 })
  expect(isStillRunning(identity)).toBe(false)
})

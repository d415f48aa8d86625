import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import {
  identifyProcess,
  isStillRunning,
  readIdentityFile,
  writeIdentityFile,
} from '../processes/process-identity.ts'
import { becomeSupervisor, resignAsSupervisor } from './single-start.ts'
import { processFiles } from './supervise.ts'

let runDir = ''
beforeEach(() => {
  runDir = newFolder('countersign-run-')
})

const lines: string[] = []
const log = (line: string): void => void lines.push(line)

test('a second start is refused with the address of the first, until the first has ended', async () => {
  await becomeSupervisor(runDir, log)
  await writeFile(join(runDir, 'url'), 'http://127.0.0.1:4400\n')
  await expect(becomeSupervisor(runDir, log)).rejects.toThrow(
    `Countersign already runs here at http://127.0.0.1:4400 (process ${process.pid})`,
  )
  await resignAsSupervisor(runDir)
  await becomeSupervisor(runDir, log)
})

test('a supervisor that died is replaced, and what it left running is ended', async () => {
  const files = processFiles(runDir, 'supervisor')
  await writeIdentityFile(files.identity, { pid: process.pid, startedAt: 'another start' })
  const left = spawn('sleep', ['60'], { stdio: 'ignore' })
  const ended = once(left, 'exit')
  const identity = identifyProcess(left.pid ?? 0)
  if (identity === null) throw new Error('sleep did not start')
  await writeIdentityFile(processFiles(runDir, 'api').identity, identity)
  await becomeSupervisor(runDir, log)
  await ended
  expect(isStillRunning(identity)).toBe(false)
  expect(lines).toContain(
    `api of an earlier start still runs (process ${identity.pid}): stopping it`,
  )
  expect((await readIdentityFile(files.identity))?.startedAt).not.toBe('another start')
})

import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { endProcess } from '../processes/end-process.ts'
import { whileHolding } from '../processes/hold-file.ts'
import {
  readRunningProcess,
  removeIdentityFile,
  writeIdentityFile,
} from '../processes/process-identity.ts'
import { processFiles, serviceNames } from './supervise.ts'

/**
 * Makes this process the only supervisor in `runDir`. Throws one sentence when another one runs.
 * Processes that a dead supervisor left are ended first: each is recognised by its id and its start
 * time.
 */
export async function becomeSupervisor(
  runDir: string,
  log: (sentence: string) => void,
): Promise<void> {
  await mkdir(runDir, { recursive: true, mode: 0o700 })
  await takePlace(runDir)
  for (const name of serviceNames) {
    const files = processFiles(runDir, name)
    const leftover = await readRunningProcess(files.identity)
    if (leftover !== null) {
      log(`${name} of an earlier start still runs (process ${leftover.pid}): stopping it`)
      await endProcess(leftover, {
        signal: name === 'postgres' ? 'SIGINT' : 'SIGTERM',
        graceMs: 15_000,
      })
    }
    await rm(files.pid, { force: true })
    await removeIdentityFile(files.identity)
  }
}

/** Starts of the same moment read and write the record one after the other. */
async function takePlace(runDir: string): Promise<void> {
  const record = processFiles(runDir, 'supervisor').identity
  await whileHolding({ file: `${record}.lock`, waitMs: 30_000 }, async (holder) => {
    const other = await readRunningProcess(record)
    if (other !== null) throw await alreadyRunning(runDir, other.pid)
    await writeIdentityFile(record, holder)
  })
}

async function alreadyRunning(runDir: string, pid: number): Promise<Error> {
  const url = await readFile(join(runDir, 'url'), 'utf8').catch(() => '')
  const where = url === '' ? '' : ` at ${url.trim()}`
  return new Error(
    `Countersign already runs here${where} (process ${pid}): stop that one first, or start with another --data`,
  )
}

/** Ends the claim of this process. */
export async function resignAsSupervisor(runDir: string): Promise<void> {
  await removeIdentityFile(processFiles(runDir, 'supervisor').identity)
  await rm(join(runDir, 'url'), { force: true })
}

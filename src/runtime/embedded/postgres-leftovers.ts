import { readFile, readdir, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { endProcess } from '../processes/end-process.ts'
import { identifyProcess, readCommandLine } from '../processes/process-identity.ts'

/**
 * Removes what an earlier Postgres left in its folder. It shuts down a server that still runs. It
 * removes a lock file if its process is gone, or if another program has the process id. It ends
 * back-ends of a killed server, because they hold its shared memory.
 */
export async function clearPostgresLeftovers(
  dataDir: string,
  log: (sentence: string) => void,
): Promise<void> {
  const lockFile = join(dataDir, 'postmaster.pid')
  const pid = await readFile(lockFile, 'utf8').then(
    (text) => Number.parseInt(text, 10),
    () => null,
  )
  if (pid !== null) {
    const server = identifyProcess(pid)
    if (server !== null && (await servesFolder(pid, dataDir))) {
      log(`a Postgres of an earlier start still runs here (process ${pid}): stopping it`)
      await endProcess(server, { signal: 'SIGINT', graceMs: 15_000 })
    }
    await rm(lockFile, { force: true })
  }
  for (const orphan of await processesIn(dataDir)) {
    const identity = identifyProcess(orphan)
    if (identity !== null) await endProcess(identity, { signal: 'SIGQUIT', graceMs: 3_000 })
  }
}

async function servesFolder(pid: number, dataDir: string): Promise<boolean> {
  const line = readCommandLine(pid)
  return line.includes('postgres') && line.includes(dataDir)
}

/**
 * Postgres processes whose working directory is the folder. Only Linux has them in /proc; elsewhere
 * the check of Postgres itself decides.
 */
async function processesIn(dataDir: string): Promise<number[]> {
  if (process.platform !== 'linux') return []
  const pids: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const cwd = await readlink(`/proc/${name}/cwd`).catch(() => '')
    if (cwd === dataDir && readCommandLine(Number(name)).startsWith('postgres'))
      pids.push(Number(name))
  }
  return pids
}

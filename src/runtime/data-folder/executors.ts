import { randomUUID } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { readJsonRecord, writeWhole } from '../files.ts'
import { runFolder } from '../folders.ts'
import { identifyProcess, isStillRunning } from '../processes/process-identity.ts'

const executorSchema = z.strictObject({
  executor: z.string(),
  host: z.string(),
  pid: z.int(),
  startedAt: z.string(),
})

/** A process that carried out calls on this host and ended without removing its record. */
export interface LostExecutor {
  /** its name in its attempts (`execution.executor`) */
  readonly executor: string
  /** call it once its attempts are settled; until then the next start finds it again */
  forget(): Promise<void>
}

/**
 * Records in the data folder that this process carries out calls under that name. Disposing, as a
 * graceful end does, removes the record.
 */
export async function recordExecutor(dataDir: string, executor: string): Promise<AsyncDisposable> {
  const identity = identifyProcess(process.pid)
  if (identity === null) return { [Symbol.asyncDispose]: async () => undefined }
  const file = join(runFolder(dataDir), `executor-${randomUUID()}.json`)
  await mkdir(runFolder(dataDir), { recursive: true, mode: 0o700 })
  await writeWhole(file, `${JSON.stringify({ executor, host: thisHost(), ...identity })}\n`, 0o600)
  return { [Symbol.asyncDispose]: () => rm(file, { force: true }) }
}

/**
 * The processes with a record that have certainly ended: of this host and process namespace, and no
 * longer running. A process of another host cannot be seen from here.
 */
export async function lostExecutors(dataDir: string): Promise<LostExecutor[]> {
  const names = await readdir(runFolder(dataDir)).catch(() => [])
  const records = await Promise.all(
    names
      .filter((name) => /^executor-.+\.json$/.test(name))
      .map(async (name): Promise<LostExecutor | null> => {
        const file = join(runFolder(dataDir), name)
        const record = await readJsonRecord(file, executorSchema)
        if (record === null || record.host !== thisHost() || isStillRunning(record)) return null
        return { executor: record.executor, forget: () => rm(file, { force: true }) }
      }),
  )
  return records.filter((record) => record !== null)
}

/** Two containers may share a host name, and see different processes. */
function thisHost(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}

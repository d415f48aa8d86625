import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { round } from '../figures.ts'
import { generateLog } from './generate-log.ts'
import { verifyFolder } from './verify-folder.ts'

const runs = 20_000

/**
 * Measures the verification of a full export of 200,000 events, as `audit verify` does it. Throws
 * unless everything verifies.
 */
export async function benchVerify(): Promise<object> {
  const { key, files, events } = generateLog(runs)
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  try {
    for (const { path, bytes } of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), bytes)
    }
    const before = process.cpuUsage()
    const startMs = performance.now()
    verifyFolder(folder, key)
    const seconds = (performance.now() - startMs) / 1000
    const { user, system } = process.cpuUsage(before)
    return {
      events,
      signedStatements: 2 * runs,
      seconds: round(seconds),
      eventsPerSecond: Math.round(events / seconds),
      eventsPerProcessorSecond: Math.round(events / ((user + system) / 1e6)),
      residentMegabytes: Math.round(process.memoryUsage.rss() / 2 ** 20),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { LogFiles } from '../../src/evidence/bundle/log-files.ts'
import { verifyLog } from '../../src/evidence/verify/verify-log.ts'
import { round } from '../figures.ts'
import { madeLog } from './made-log.ts'

const runs = 20_000

/** Verifies a full export of 200,000 events from a folder, as `audit verify` does. Throws unless every verdict holds. */
export async function benchVerify(): Promise<object> {
  const { key, files, events } = madeLog(runs)
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  try {
    for (const { path, bytes } of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), bytes)
    }
    const before = process.cpuUsage()
    const begun = performance.now()
    const verdicts = verifyLog(filesIn(folder), key, null)
    const seconds = (performance.now() - begun) / 1000
    const { user, system } = process.cpuUsage(before)
    const bad = verdicts.filter(({ outcome }) => outcome !== 'holds')
    if (bad.length > 0) throw new Error(JSON.stringify(bad))
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

function filesIn(folder: string): LogFiles {
  return {
    read(path) {
      try {
        return readFileSync(join(folder, path))
      } catch {
        return null
      }
    },
  }
}

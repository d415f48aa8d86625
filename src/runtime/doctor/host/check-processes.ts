import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readText } from '../../environment.ts'
import { temporalNamedBy } from '../../config/temporal-config.ts'
import { logFolder, runFolder } from '../../folders.ts'
import { readRunningProcess } from '../../processes/process-identity.ts'
import { processFiles } from '../../supervisor/supervise.ts'
import type { Check, Finding } from '../target/check.ts'

/** The processes of a `countersign start` here: all of them run, or none does. */
export const checkProcesses: Check = async ({ folders: { dataDir }, environment }) => {
  const runDir = runFolder(dataDir)
  const supervisor = await readRunningProcess(processFiles(runDir, 'supervisor').identity)
  const isIdle: Finding = {
    check: 'processes',
    state: 'ok',
    found: 'no "countersign start" runs here',
  }
  // The doctor itself started the servers that run.
  if (supervisor?.pid === process.pid) return [isIdle]
  const names = ['api', 'temporal-worker']
  if (temporalNamedBy(environment) === null) names.push('temporal')
  if (readText(environment, 'DATABASE_URL') === undefined) names.push('postgres')
  const findings: Finding[] = []
  for (const name of names) {
    const running = await readRunningProcess(processFiles(runDir, name).identity)
    if (supervisor !== null && running === null) {
      findings.push({
        check: 'processes',
        state: 'problem',
        found: `${name} does not run, although "countersign start" does`,
        remedy: `look at the end of ${join(logFolder(dataDir), `${name}.log`)}: it says why`,
      })
    } else if (supervisor === null && running !== null) {
      findings.push({
        check: 'processes',
        state: 'warning',
        found: `${name} (process ${running.pid}) was left by a start that ended`,
        remedy: 'run "countersign start": it ends the remaining processes and starts again',
      })
    }
  }
  if (findings.length > 0) return findings
  if (supervisor === null) return [isIdle]
  const url = await readFile(join(runDir, 'url'), 'utf8').catch(() => 'an address not written yet')
  return [{ check: 'processes', state: 'ok', found: `everything runs, at ${url.trim()}` }]
}

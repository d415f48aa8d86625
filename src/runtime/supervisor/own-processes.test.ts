import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { logFolder, runFolder } from '../folders.ts'
import { waitUntil } from '../processes/wait-until.ts'
import { startTemporalWorker } from './own-processes.ts'

/** A program that serves at once, and whose log says which file it is. */
const program = `
import { writeSync } from 'node:fs'
console.log(process.argv[1])
writeSync(3, 'ready\\n')
setInterval(() => undefined, 1_000)
`

test('a process that ended is started again from the sources of then, not from those of the first start', async () => {
  const dataDir = newFolder('countersign-processes-')
  const [first, second] = [join(dataDir, 'first.mjs'), join(dataDir, 'second.mjs')]
  for (const file of [first, second]) await writeFile(file, program)
  const worker = await startTemporalWorker({
    folders: { projectDir: dataDir, dataDir, isQuickstart: false },
    entry: first,
    findEntry: async () => second,
    variables: { COUNTERSIGN_CACHE: dataDir },
    log: () => undefined,
  })
  const entries = async (): Promise<string[]> => {
    const log = await readFile(join(logFolder(dataDir), 'temporal-worker.log'), 'utf8')
    return log.trim().split('\n')
  }
  expect(await entries()).toEqual([first])
  const pid = await readFile(join(runFolder(dataDir), 'temporal-worker.pid'), 'utf8')
  process.kill(Number(pid), 'SIGKILL')
  const again = async () => ((await entries()).length > 1 ? entries() : null)
  expect(await waitUntil(again, { timeoutMs: 60_000, everyMs: 20 })).toEqual([first, second])
  await worker.stop()
}, 90_000)

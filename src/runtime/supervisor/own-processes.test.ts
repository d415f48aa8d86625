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

/** The same of sources with a migration, before which it refuses to serve. */
const laterProgram = `
import { existsSync, writeFileSync } from 'node:fs'
const migrated = process.argv[1] + '.migrated'
if (process.argv[2] === 'migrate') {
  writeFileSync(migrated, '')
  process.exit(0)
}
if (!existsSync(migrated)) {
  writeSync(3, 'refused "the database lacks a migration"\\n')
  process.exit(1)
}
${program}`

/** The same of sources that are older than the database. */
const earlierProgram = `
import { writeSync } from 'node:fs'
if (process.argv[2] === 'migrate') console.error('the database is newer')
else writeSync(3, 'refused "the database is newer"\\n')
process.exit(1)
`

/** Starts a Temporal worker and kills it; it is started again from `sources`. */
async function killWorker(sources: string) {
  const dataDir = newFolder('countersign-processes-')
  const [first, second] = [join(dataDir, 'first.mjs'), join(dataDir, 'second.mjs')]
  await writeFile(first, program)
  await writeFile(second, sources)
  const sentences: string[] = []
  const worker = await startTemporalWorker({
    folders: { projectDir: dataDir, dataDir, isQuickstart: false },
    entry: first,
    findEntry: async () => second,
    variables: { COUNTERSIGN_CACHE: dataDir },
    log: (sentence) => void sentences.push(sentence),
  })
  const entries = async (): Promise<string[]> => {
    const log = await readFile(join(logFolder(dataDir), 'temporal-worker.log'), 'utf8')
    return log.trim().split('\n')
  }
  expect(await entries()).toEqual([first])
  const pid = await readFile(join(runFolder(dataDir), 'temporal-worker.pid'), 'utf8')
  process.kill(Number(pid), 'SIGKILL')
  const again = async () => ((await entries()).length > 1 ? entries() : null)
  return { worker, first, second, sentences, again }
}

const patience = { timeoutMs: 60_000, everyMs: 20 }

test.each([
  ['without a migration', program],
  ['that need a migration, after it', laterProgram],
])(
  'a process that ended is started again from the sources of then, not from those of the first start: %s',
  async (_which, sources) => {
    const { worker, first, second, again } = await killWorker(sources)
    expect(await waitUntil(again, patience)).toEqual([first, second])
    await worker.stop()
  },
  90_000,
)

test('sources of then that are older than the database end nothing: they are tried again, until others are there', async () => {
  const { worker, first, second, sentences, again } = await killWorker(earlierProgram)
  const isTriedAgain = async () =>
    sentences.filter((sentence) => sentence === 'the database is newer').length > 1 ? true : null
  expect(await waitUntil(isTriedAgain, patience)).toBe(true)
  await writeFile(second, program)
  expect(await waitUntil(again, patience)).toEqual([first, second])
  await worker.stop()
}, 90_000)

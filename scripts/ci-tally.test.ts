import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tally } from './ci-tally.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ci-tally-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function report(passed: number, failed: number, unloadedFiles = 0): Promise<string> {
  const path = join(folder, `${passed}-${failed}-${unloadedFiles}.json`)
  const unloaded = { status: 'failed', assertionResults: [] }
  const testResults = Array.from({ length: unloadedFiles }, () => unloaded)
  const content = { numPassedTests: passed, numFailedTests: failed, testResults }
  await writeFile(path, JSON.stringify(content))
  return path
}

test('tests of all stages are added up', async () => {
  const stages = [
    { name: 'verify', exitCode: 0 },
    { name: 'test', exitCode: 0, report: await report(40, 0) },
    { name: 'slow', exitCode: 1, report: await report(5, 2) },
  ]
  expect(await tally(stages)).toEqual({ passed: 45, failed: 2 })
})

test('a stage that fails without a failed test counts as one failure', async () => {
  expect(await tally([{ name: 'verify', exitCode: 1 }])).toEqual({ passed: 0, failed: 1 })
  const unhandled = { name: 'test', exitCode: 1, report: await report(40, 0) }
  expect(await tally([unhandled])).toEqual({ passed: 40, failed: 1 })
})

test('a test file that could not be loaded is a failure', async () => {
  const stage = { name: 'test', exitCode: 1, report: await report(40, 0, 2) }
  expect(await tally([stage])).toEqual({ passed: 40, failed: 2 })
})

test('a stage that left no report, or ran no test, is a failure whatever it ended with', async () => {
  const missing = { name: 'test', exitCode: 0, report: join(folder, 'none.json') }
  const empty = { name: 'slow', exitCode: 0, report: await report(0, 0) }
  expect(await tally([missing, empty])).toEqual({ passed: 0, failed: 2 })
})

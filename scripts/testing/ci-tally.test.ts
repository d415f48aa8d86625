import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hasRandomInputs, tally } from './ci-tally.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ci-tally-'))
})
afterEach(() => rm(folder, { recursive: true }))

type Results = Record<string, 'passed' | 'failed'>

/** Writes a report in which each file has these results; `'unloaded'`: it could not be loaded. */
async function report(name: string, files: Record<string, Results | 'unloaded'>): Promise<string> {
  const path = join(folder, `${name}.json`)
  const testResults = Object.entries(files).map(([file, results]) => {
    if (results === 'unloaded')
      return { name: file, status: 'failed', message: 'no such module', assertionResults: [] }
    const assertionResults = Object.entries(results).map(([fullName, status]) => {
      return { fullName, status, failureMessages: status === 'failed' ? ['expected 1'] : [] }
    })
    const status = assertionResults.some((result) => result.status === 'failed')
    return { name: file, status: status ? 'failed' : 'passed', message: '', assertionResults }
  })
  await writeFile(path, JSON.stringify({ testResults }))
  return path
}

test('tests of all stages are added up, and failures are named with their messages', async () => {
  const fine = await report('fine', { a: { one: 'passed', two: 'passed' } })
  const broken = await report('broken', { b: { three: 'passed', four: 'failed' } })
  const stages = [
    { name: 'verify', exitCode: 0 },
    { name: 'test', exitCode: 0, report: fine },
    { name: 'slow', exitCode: 1, report: broken },
  ]
  expect(await tally(stages)).toEqual({
    passed: 3,
    failed: 1,
    failures: [{ file: 'b', test: 'four', message: 'expected 1' }],
    unsteady: [],
  })
})

test('a stage that fails without a failed test counts as one failure', async () => {
  expect(await tally([{ name: 'verify', exitCode: 1 }])).toMatchObject({ passed: 0, failed: 1 })
  const fine = await report('fine', { a: { one: 'passed' } })
  const unhandled = { name: 'test', exitCode: 1, report: fine }
  expect(await tally([unhandled])).toMatchObject({ passed: 1, failed: 1 })
})

test('a test file that could not be loaded is a failure', async () => {
  const path = await report('unloaded', { a: { one: 'passed' }, b: 'unloaded', c: 'unloaded' })
  const stage = { name: 'test', exitCode: 1, report: path }
  expect(await tally([stage])).toMatchObject({ passed: 1, failed: 2 })
})

test('a stage without a report, or without a test that ran, is a failure whatever its exit code', async () => {
  const missing = { name: 'test', exitCode: 0, report: join(folder, 'none.json') }
  const empty = { name: 'slow', exitCode: 0, report: await report('empty', {}) }
  expect(await tally([missing, empty])).toMatchObject({ passed: 0, failed: 2 })
})

test('a test that passes when its file runs again, alone, is unsteady; one that fails again is failed', async () => {
  const first = { a: { one: 'failed', two: 'failed', three: 'passed' }, b: 'unloaded' } as const
  const again = {
    a: { one: 'passed', two: 'failed', three: 'passed' },
    b: { x: 'passed' },
  } as const
  const stage = {
    name: 'test',
    exitCode: 1,
    report: await report('first', first),
    secondReport: await report('again', again),
  }
  const { passed, failed, failures, unsteady } = await tally([stage])
  expect({ passed, failed }).toEqual({ passed: 3, failed: 1 })
  expect(failures.map(({ test: name }) => name)).toEqual(['two'])
  expect(unsteady.map(({ file }) => file)).toEqual(['a', 'b'])
})

test('a test that fails only when its file runs again is a failure, and so is one that did not run again', async () => {
  const stage = {
    name: 'test',
    exitCode: 1,
    report: await report('first', { a: { one: 'failed', two: 'passed' }, b: { three: 'failed' } }),
    secondReport: await report('again', { a: { one: 'passed', two: 'failed' } }),
  }
  const { failures, unsteady } = await tally([stage])
  expect(failures.map(({ test: name }) => name)).toEqual(['three', 'two'])
  expect(unsteady.map(({ test: name }) => name)).toEqual(['one'])
})

test.each([
  ['chaos/chaos.test.ts', true],
  ['hostile/hostile-paths.test.ts', true],
  ['restored-installation.test.ts', false],
])('the inputs of %s are random: %s', async (file, isRandom) => {
  const path = join(import.meta.dirname, '../../test/slow', file)
  expect(await hasRandomInputs(path)).toBe(isRandom)
})

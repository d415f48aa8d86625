import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { identifyProcess } from '../processes/process-identity.ts'
import { lostExecutors, recordExecutor } from './executors.ts'

let dataDir: string
const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'])
const ended = identifyProcess(child.pid!)!
child.kill('SIGKILL')
await once(child, 'exit')
beforeEach(() => {
  dataDir = newFolder('countersign executors ')
})

/** The only record of the folder, with other facts. */
async function change(facts: object): Promise<void> {
  const folder = join(dataDir, 'run')
  const [name = ''] = await readdir(folder)
  const record = JSON.parse(await readFile(join(folder, name), 'utf8')) as object
  await writeFile(join(folder, name), JSON.stringify({ ...record, ...facts }))
}

test('a process that runs is not lost, and a graceful end leaves no record', async () => {
  const record = await recordExecutor(dataDir, 'host:1:a')
  expect(await lostExecutors(dataDir)).toEqual([])
  await record[Symbol.asyncDispose]()
  expect(await readdir(join(dataDir, 'run'))).toEqual([])
})

test('a process that was killed is lost until its record is removed', async () => {
  await recordExecutor(dataDir, 'host:1:a')
  await change(ended)
  const [lost, ...more] = await lostExecutors(dataDir)
  expect([lost?.executor, more]).toEqual(['host:1:a', []])
  await lost?.forget()
  expect(await lostExecutors(dataDir)).toEqual([])
})

test('another process with the id of one that ended does not hide its end', async () => {
  await recordExecutor(dataDir, 'host:1:a')
  await change({ startedAt: ended.startedAt })
  expect(await lostExecutors(dataDir)).toHaveLength(1)
})

test.each([
  ['of another host', { host: 'another pid:[1]' }],
  ['without a process', { pid: 'x' }],
  ['with more than we wrote', { more: 1 }],
])('a record %s is ignored', async (_, facts) => {
  await recordExecutor(dataDir, 'host:1:a')
  await change({ ...ended, ...facts })
  expect(await lostExecutors(dataDir)).toEqual([])
})

test('without records nobody is lost', async () => {
  expect(await lostExecutors(dataDir)).toEqual([])
})

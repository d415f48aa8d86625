import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { whileHolding } from './hold-file.ts'

const processCount = 8
const turnCount = 50

test.each(['file', 'supervisor'])(
  'of eight processes that take a %s again and again, and are killed inside of it, one is inside at a time, and others follow',
  async (kind) => {
    const folder = newFolder('countersign-lock-')
    const turns = join(folder, 'turns')
    const racing = new Set<ChildProcess>()
    let [isOver, kills, failures] = [false, 0, '']
    const start = (): void => {
      const program = [`${import.meta.dirname}/racing-holder.fixture.ts`, kind, folder]
      const child = spawn(process.execPath, [...process.execArgv, ...program], {
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      racing.add(child)
      child.stderr.on('data', (text) => (failures += String(text)))
      child.once('exit', (_code, signal) => {
        racing.delete(child)
        if (isOver) return
        if (signal === 'SIGKILL') kills += 1
        start()
      })
    }
    for (let count = 0; count < processCount; count += 1) start()
    try {
      const taken = (): string[] =>
        existsSync(turns) ? readFileSync(turns, 'utf8').trim().split('\n') : []
      await waitUntil(() => failures !== '' || taken().length >= turnCount, { withinMs: 170_000 })
      expect(failures).toBe('')
      expect(taken().filter((turn) => turn !== 'in')).toEqual([])
      expect(kills).toBeGreaterThan(0)
    } finally {
      isOver = true
      for (const child of racing) child.kill('SIGKILL')
      await waitUntil(() => racing.size === 0)
    }
    const lock = kind === 'file' ? 'lock' : 'supervisor.identity.lock'
    await whileHolding({ file: join(folder, lock), waitMs: 1000 }, async () => undefined)
    expect((await readdir(folder)).filter((name) => name.startsWith(lock))).toEqual([])
  },
)

test('the claim of a process that has ended is removed, and nothing of a claim stays', async () => {
  const folder = newFolder('countersign-lock-')
  const lock = join(folder, 'lock')
  const earlier = Buffer.from('an earlier process').toString('base64url')
  await writeFile(`${lock}.${'0'.repeat(16)}-${process.pid}-${earlier}`, '')
  await writeFile(`${lock}.other`, 'no claim')
  const held = { file: lock, waitMs: 1000 }
  expect(await whileHolding(held, async () => readdir(folder))).toHaveLength(2)
  expect(await readdir(folder)).toEqual(['lock.other'])
})

test('a lock that cannot be made, or that others hold for too long, is an error', async () => {
  const folder = newFolder('countersign-lock-')
  const nowhere = { file: join(folder, 'none', 'lock'), waitMs: 1000 }
  await expect(whileHolding(nowhere, async () => undefined)).rejects.toThrow('ENOENT')
  const held = { file: join(folder, 'lock'), waitMs: 50 }
  await whileHolding(held, async () => {
    const second = whileHolding(held, async () => expect.fail('two at once'))
    await expect(second).rejects.toThrow('another process has held')
  })
})

test('a stop ends the wait for a lock, and nothing of the claim stays', async () => {
  const folder = newFolder('countersign-lock-')
  const lock = { file: join(folder, 'lock'), waitMs: 1000 }
  const stopping = new AbortController()
  const stopped = { ...lock, stop: stopping.signal, onWait: () => stopping.abort() }
  await whileHolding(lock, async () => {
    const second = whileHolding(stopped, async () => expect.fail('two at once'))
    await expect(second).rejects.toThrow('aborted')
  })
  expect(await readdir(folder)).toEqual([])
})

test('work waits for other work of the same process, and the lock is free after work that fails', async () => {
  const lock = join(newFolder('countersign-lock-'), 'lock')
  const order: string[] = []
  const works = ['a', 'b', 'c'].map((name) =>
    whileHolding({ file: lock, waitMs: 30_000 }, async () => {
      order.push(`${name} begins`)
      await new Promise((resolve) => setImmediate(resolve))
      order.push(`${name} ends`)
      if (name === 'b') throw new Error('b failed')
    }),
  )
  const ends = await Promise.allSettled(works)
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  for (let at = 0; at < order.length; at += 2) {
    expect(order[at + 1]).toBe(order[at]?.replace('begins', 'ends'))
  }
})

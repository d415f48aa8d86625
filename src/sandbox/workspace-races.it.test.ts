import { once } from 'node:events'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { beforeEach, describe, expect, it } from 'vitest'
import { hashBytes } from '#domain/json/digest.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { openWorkspace } from './workspace.ts'

const rounds = 3000
/** on a busy machine fewer rounds have to do */
const enoughMs = 40_000
const leastRounds = 300
const rivals = 3
const rivalRounds = 150
const moves = 200
let base: string

beforeEach(() => {
  base = newFolder('races-')
})

// Rules: security.md 10
describe.runIf(process.platform === 'linux')('a folder swapped for a link during a write', () => {
  it(`puts 0 of up to ${rounds} writes, moves and removals outside the root`, async () => {
    const [root, outside] = [path.join(base, 'root'), path.join(base, 'outside')]
    mkdirSync(path.join(root, 'victim'), { recursive: true })
    mkdirSync(outside)
    writeFileSync(path.join(outside, 'bait.txt'), 'bait')
    const stop = new SharedArrayBuffer(4)
    const attacker = new Worker(new URL('fixtures/swap-attacker.fixture.ts', import.meta.url), {
      workerData: { root, outside, stop },
    })
    await once(attacker, 'online')
    const workspace = await openWorkspace({ root, hidden: [] })
    const tally = { done: 0, refused: 0 }
    const contents = new Set<string>()

    const until = performance.now() + enoughMs
    for (let round = 0; round < rounds; round += 1) {
      if (performance.now() > until && round >= leastRounds) break
      const at = round % 3 === 0 ? 'victim/inner.txt' : `victim/deep${round % 7}/file.txt`
      try {
        const state = await workspace.state(at, { hash: true })
        await workspace.write(at, Buffer.from(`round ${round}`), state.hash ?? 'absent')
        if (round % 5 === 0) {
          const { hash } = await workspace.state(at, { hash: true })
          const to = `victim/moved${round}.txt`
          await workspace.move(at, to, { from: hash ?? '', to: 'absent' })
          await workspace.remove(to, hash ?? '')
        }
        tally.done += 1
      } catch (error) {
        if (!(error instanceof WorkspaceProblem)) throw error
        tally.refused += 1
        contents.add(error.code)
      }
      const found = await workspace.read('victim/bait.txt', { maxBytes: 99 }).catch(() => null)
      expect(found).toBeNull()
    }

    Atomics.store(new Int32Array(stop), 0, 1)
    const [swaps] = (await once(attacker, 'message')) as [number]
    await attacker.terminate()
    console.info(
      `${swaps} swaps, ${tally.done} rounds done, ${tally.refused} refused (${[...contents].join(', ')})`,
    )
    expect(readdirSync(outside)).toEqual(['bait.txt'])
    expect(readFileSync(path.join(outside, 'bait.txt'), 'utf8')).toBe('bait')
    expect(swaps).toBeGreaterThan(leastRounds)
    expect(tally.done).toBeGreaterThan(0)
    expect(tally.refused).toBeGreaterThan(0)
  }, 240_000)
})

describe('without file descriptors for the folders of a path', () => {
  it('no write follows a link that exists when the path is resolved', async () => {
    const [root, outside] = [path.join(base, 'root'), path.join(base, 'outside')]
    mkdirSync(root)
    mkdirSync(outside)
    const workspace = await openWorkspace({ root, hidden: [], naming: 'path' })
    await workspace.write('a/b.txt', Buffer.from('x'), 'absent')
    rmSync(path.join(root, 'a'), { recursive: true })
    symlinkSync(outside, path.join(root, 'a'))
    await expect(workspace.write('a/b.txt', Buffer.from('x'), 'absent')).rejects.toMatchObject({
      code: 'is_a_link',
    })
    expect(readdirSync(outside)).toEqual([])
  })
})

/** Removes the old name of each file as soon as the file has its new one. */
const nameRemover = `
const { existsSync, rmSync } = require('node:fs')
const { root, rounds } = require('node:worker_threads').workerData
for (let round = 0; round < rounds; round += 1) {
  while (!existsSync(root + '/new' + round));
  rmSync(root + '/old' + round, { force: true })
}`

// Rules: security.md 10
describe('a file whose old name somebody else removes during a move', () => {
  it('keeps its new name', async () => {
    const workspace = await openWorkspace({ root: base, hidden: [] })
    const workerData = { root: base, rounds: moves }
    const remover = new Worker(nameRemover, { eval: true, workerData })
    await once(remover, 'online')
    const bytes = Buffer.from('kept\n')
    const expected = { from: hashBytes(bytes), to: 'absent' }
    try {
      for (let round = 0; round < moves; round += 1) {
        await workspace.write(`old${round}`, bytes, 'absent')
        await workspace.move(`old${round}`, `new${round}`, expected)
      }
    } finally {
      await remover.terminate()
    }
    const names = Array.from({ length: moves }, (_, round) => `new${round}`)
    expect(readdirSync(base).toSorted()).toEqual(names.toSorted())
  })
})

// Rules: product.md 14; security.md 10
describe('processes that write on the same base at once', () => {
  it('report success exactly once: no approved write is lost under another one', async () => {
    const root = base
    mkdirSync(path.join(root, 'notes'))
    writeFileSync(path.join(root, 'notes/a.md'), 'one\n')
    const shared = new SharedArrayBuffer(4 * 3 * rivalRounds)
    const workerData = { root, rounds: rivalRounds, rivals, shared }
    const threads = Array.from(
      { length: rivals },
      () =>
        new Worker(new URL('fixtures/rival-writer.fixture.ts', import.meta.url), { workerData }),
    )
    await Promise.all(threads.map((thread) => once(thread, 'message')))
    const counts = new Int32Array(shared)
    const winners = Array.from({ length: rivalRounds }, (_, round) => counts[3 * round + 2])
    expect(winners).toEqual(Array.from({ length: rivalRounds }, () => 1))
    expect(readdirSync(path.join(root, 'notes'))).toEqual(['a.md'])
  })
})

it('a file that only its owner may read stays private while it is replaced', async () => {
  const root = base
  const secret = path.join(root, 'secret.txt')
  writeFileSync(secret, 'one\n', { mode: 0o600 })
  const workspace = await openWorkspace({ root, hidden: [] })
  const { hash } = await workspace.state('secret.txt', { hash: true })
  const modes = new Set<number>()
  const progress = { end: false }
  const writing = workspace
    .write('secret.txt', Buffer.alloc(64 * 1024 * 1024, 's'), hash ?? '')
    .finally(() => (progress.end = true))
  for (; !progress.end; await new Promise((resolve) => setImmediate(resolve))) {
    for (const name of readdirSync(root)) {
      const state = statSync(path.join(root, name), { throwIfNoEntry: false })
      if (state !== undefined && name !== 'secret.txt') modes.add(state.mode & 0o777)
    }
  }
  await writing
  expect([...modes]).toEqual([0o600])
  expect(statSync(secret).mode & 0o777).toBe(0o600)
})

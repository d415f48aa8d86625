import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { beforeEach, describe, expect, it } from 'vitest'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { openWorkspace } from './workspace.ts'

const rounds = 3000
/** on a busy machine fewer rounds have to do */
const enoughMs = 40_000
const leastRounds = 300
let base: string

beforeEach(() => {
  base = newFolder('races-')
})

// Rules: security.md 10
describe.runIf(process.platform === 'linux')('a folder swapped for a link while we write', () => {
  it(`puts 0 of up to ${rounds} writes, moves and removals outside the root`, async () => {
    const [root, outside] = [path.join(base, 'root'), path.join(base, 'outside')]
    mkdirSync(path.join(root, 'victim'), { recursive: true })
    mkdirSync(outside)
    writeFileSync(path.join(outside, 'bait.txt'), 'bait')
    const stop = new SharedArrayBuffer(4)
    const attacker = new Worker(new URL('swap-attacker.fixture.ts', import.meta.url), {
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

describe('without descriptors to walk through', () => {
  it('still follows no link that is there when the path is walked', async () => {
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

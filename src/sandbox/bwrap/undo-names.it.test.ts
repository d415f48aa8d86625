import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lookForNames, type FoundNames } from './look-for-names.ts'
import { undoNames } from './undo-names.ts'

const names = {
  secret: () => false,
  standing: (at: string) => (/(^|\/)inner\.txt$|(^|\/)\.guarded$/.test(at) ? 'guarded' : null),
  isRepository: () => false,
  inRepository: () => null,
  runsProgram: () => false,
} as const
let base: string
let root: string
let outside: string

beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'undo-')))
  root = path.join(base, 'root')
  outside = path.join(base, 'outside')
  mkdirSync(root)
  mkdirSync(outside)
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const look = (): Promise<FoundNames> =>
  lookForNames({
    root,
    folders: [''],
    names,
    hidden: path.join(root, '.countersign'),
    bounded: false,
  })

// Rules: security.md 8
describe('what was made of protected names', () => {
  test('is removed with all that is in it, names that are no text included', async () => {
    const before = await look()
    const odd = Buffer.concat([Buffer.from(path.join(root, 'a')), Buffer.from([0xff])])
    mkdirSync(odd)
    mkdirSync(Buffer.concat([odd, Buffer.from('/.guarded')]))
    writeFileSync(Buffer.concat([odd, Buffer.from([0x2f, 0x2e]), Buffer.from('guarded/x')]), 'x')
    writeFileSync(Buffer.concat([odd, Buffer.from('/.guarded/'), Buffer.from([0xfe])]), 'x')
    expect(await undoNames(root, before, await look())).toEqual([
      'it made "a\\xff/.guarded", a protected name, which was removed',
    ])
    expect(readdirSync(odd)).toEqual([])
  })

  test('is removed from folders without any right, and the link in them is not followed', async () => {
    const before = await look()
    mkdirSync(path.join(root, '.guarded/deep'), { recursive: true })
    writeFileSync(path.join(root, '.guarded/deep/x'), 'x')
    writeFileSync(path.join(outside, 'bait.txt'), 'bait')
    symlinkSync(outside, path.join(root, '.guarded/deep/link'))
    chmodSync(path.join(root, '.guarded/deep'), 0)
    chmodSync(path.join(root, '.guarded'), 0)
    expect(await undoNames(root, before, await look())).toEqual([
      'it made ".guarded", a protected name, which was removed',
    ])
    expect(existsSync(path.join(root, '.guarded'))).toBe(false)
    expect(readFileSync(path.join(outside, 'bait.txt'), 'utf8')).toBe('bait')
  })

  test('that lies too deep to be looked for is named by the folder that hides it', async () => {
    const before = await look()
    let at = root
    for (let depth = 0; depth < 450; depth += 1) at = path.join(at, 'd')
    mkdirSync(at, { recursive: true })
    const [said, ...more] = await undoNames(root, before, await look())
    expect(said).toMatch(/it made "d\/d\/.*…", a folder that cannot be looked into/)
    expect(more).toEqual([])
  })

  test('after a moment that it is known to have ended before is somebody’s own: named, and left', async () => {
    const before = await look()
    writeFileSync(path.join(root, '.guarded'), 'a person')
    const found = await undoNames(root, before, await look(), Date.now() - 60_000)
    expect(found).toEqual(['".guarded", a protected name, was made or changed later and stays'])
    expect(readFileSync(path.join(root, '.guarded'), 'utf8')).toBe('a person')
  })
})

// Rules: security.md 8, 10
test.runIf(process.platform === 'linux')(
  'a folder that is swapped for a link while names are looked for and removed leads nowhere else',
  async () => {
    mkdirSync(path.join(root, 'victim'))
    for (const name of ['bait.txt', 'inner.txt']) writeFileSync(path.join(outside, name), 'bait')
    const stop = new SharedArrayBuffer(4)
    const attacker = new Worker(new URL('../swap-attacker.fixture.ts', import.meta.url), {
      workerData: { root, outside, stop },
    })
    await once(attacker, 'online')
    const nothing = { guarded: new Map(), closed: [] }
    let [removed, rounds] = [0, 0]
    const until = performance.now() + 40_000
    for (; rounds < 4000; rounds += 1) {
      if (performance.now() > until && rounds >= 300) break
      const said = await undoNames(root, nothing, await look())
      removed += said.filter((one) => one.endsWith('which was removed')).length
      expect(readdirSync(outside).toSorted()).toEqual(['bait.txt', 'inner.txt'])
    }
    Atomics.store(new Int32Array(stop), 0, 1)
    const [swaps] = (await once(attacker, 'message')) as [number]
    await attacker.terminate()
    console.info(`${swaps} swaps, ${rounds} rounds, ${removed} removed`)
    mkdirSync(path.join(root, 'left'))
    writeFileSync(path.join(root, 'left/inner.txt'), 'x')
    await undoNames(root, nothing, await look())
    expect(existsSync(path.join(root, 'left/inner.txt'))).toBe(false)
    expect(readdirSync(outside).toSorted()).toEqual(['bait.txt', 'inner.txt'])
    expect(swaps).toBeGreaterThan(0)
  },
  240_000,
)

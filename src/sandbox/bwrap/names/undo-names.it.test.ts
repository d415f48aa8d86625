import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { beforeEach, describe, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { lookForNames, type NameSearch, type ZoneNames } from './look-for-names.ts'
import { undoNames } from './undo-names.ts'

const names = {
  secret: () => false,
  guardOf: (at: string) => (/(^|\/)inner\.txt$|(^|\/)\.guarded$/.test(at) ? 'guarded' : null),
  isRepository: () => false,
  inRepository: () => null,
  runsProgram: () => false,
} as const
let base: string
let root: string
let outside: string
let begunMs: number

beforeEach(() => {
  base = newFolder('undo-')
  root = path.join(base, 'root')
  outside = path.join(base, 'outside')
  mkdirSync(root)
  mkdirSync(outside)
  begunMs = Date.now()
})

const look = (more: Partial<NameSearch> = {}): Promise<ZoneNames> =>
  lookForNames({
    root,
    folders: [''],
    names,
    isWritable: () => true,
    isMountedWhole: () => false,
    hidden: path.join(root, '.countersign'),
    bounded: false,
    setIdSinceMs: begunMs,
    signal: null,
    ...more,
  })

// Rules: security.md 30
test('set-user-id and set-group-id bits that files got since the start are removed, earlier ones stay, and no link is followed', async () => {
  const at = (name: string): string => path.join(root, name)
  const modeOf = (file: string): number => statSync(file).mode & 0o7777
  for (const name of ['one', 'two', 'old', 'plain']) writeFileSync(at(name), 'x')
  writeFileSync(path.join(outside, 'far'), 'x')
  for (const file of [path.join(outside, 'far'), at('old')]) chmodSync(file, 0o4755)
  const began = Date.now()
  while (Date.now() < began + 100) await new Promise((resolve) => setImmediate(resolve))
  begunMs = Date.now()
  const before = await look()
  chmodSync(at('one'), 0o4711)
  chmodSync(at('two'), 0o2755)
  symlinkSync(path.join(outside, 'far'), at('link'))
  const sentences = await undoNames(root, before, await look())
  expect(sentences).toHaveLength(2)
  expect(sentences.toSorted()[0]).toMatch(/^it gave "one" the rights .* which were removed$/)
  expect(['one', 'two', 'old'].map((name) => modeOf(at(name)))).toEqual([0o711, 0o755, 0o4755])
  expect(modeOf(path.join(outside, 'far'))).toBe(0o4755)
})

// Rules: security.md 8
describe('a protected name that a command made', () => {
  test('is removed with everything in it, names that are no text included', async () => {
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

  test('is removed from folders without any permission, and a link in them is not followed', async () => {
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

  test('that lies too deep for the search is reported with the folder that hides it', async () => {
    const before = await look()
    let at = root
    for (let depth = 0; depth < 450; depth += 1) at = path.join(at, 'd')
    mkdirSync(at, { recursive: true })
    const [sentence, ...more] = await undoNames(root, before, await look())
    expect(sentence).toMatch(/it made "d\/d\/.*…", a folder that cannot be looked into/)
    expect(more).toEqual([])
  })

  test('that was made after the known end of the command may be somebody’s own: it is reported, and stays', async () => {
    const before = await look()
    writeFileSync(path.join(root, '.guarded'), 'a person')
    const sentences = await undoNames(root, before, await look(), Date.now() - 60_000)
    expect(sentences).toEqual(['".guarded", a protected name, was made or changed later and stays'])
    expect(readFileSync(path.join(root, '.guarded'), 'utf8')).toBe('a person')
  })
})

// Rules: security.md 7, 8
describe('a protected folder that is mounted read-only', () => {
  const whole = { isMountedWhole: () => true }
  const before = () =>
    look({ ...whole, setIdSinceMs: null, names: { ...names, secret: (at) => at.endsWith('.key') } })

  test('stands for everything in it except keys, sockets and closed folders, and is not searched afterwards', async () => {
    mkdirSync(path.join(root, '.guarded/deep'), { recursive: true })
    for (const name of ['inner.txt', 'a.key', 'deep/b.key', 'deep/inner.txt'])
      writeFileSync(path.join(root, '.guarded', name), 'x')
    execFileSync('mkfifo', [path.join(root, '.guarded/deep/pipe')])
    const names = await before()
    expect([...names.guarded.keys()]).toEqual(['.guarded'])
    expect(names.secrets.map((secret) => secret.path).toSorted()).toEqual([
      '.guarded/a.key',
      '.guarded/deep/b.key',
    ])
    expect(names.special).toEqual(['.guarded/deep/pipe'])
    const after = await look(whole)
    expect([[...after.guarded.keys()], after.special]).toEqual([['.guarded'], []])
    expect(await undoNames(root, names, after)).toEqual([])
  })

  test('is not treated as a whole where a command may write, a zone begins in it, or it is a link', async () => {
    mkdirSync(path.join(root, 'ro/.guarded'), { recursive: true })
    mkdirSync(path.join(root, 'zone/.guarded'), { recursive: true })
    writeFileSync(path.join(root, 'ro/.guarded/inner.txt'), 'x')
    writeFileSync(path.join(root, 'zone/.guarded/inner.txt'), 'x')
    symlinkSync(outside, path.join(root, '.guarded'))
    const { guarded } = await look({
      isWritable: (at) => !at.startsWith('ro') || at.endsWith('.txt'),
      isMountedWhole: (at) => at !== 'zone/.guarded',
    })
    expect([...guarded.values()].some(({ whole }) => whole)).toBe(false)
    expect([...guarded.keys()].toSorted()).toEqual([
      '.guarded',
      'ro/.guarded/inner.txt',
      'zone/.guarded',
      'zone/.guarded/inner.txt',
    ])
  })

  test('is removed when another folder with its number is in its place', async () => {
    mkdirSync(path.join(root, '.guarded'))
    const { guarded, ...names } = await before()
    const [[at, earlier] = ['', undefined]] = guarded
    if (earlier === undefined) expect.fail('no name')
    const identity = earlier.identity.replace(/\d+$/, '1')
    const was = { ...names, guarded: new Map([[at, { ...earlier, identity }]]) }
    expect(await undoNames(root, was, await look(whole))).toEqual([
      'it made ".guarded", a protected name, which was removed',
    ])
    expect(existsSync(path.join(root, '.guarded'))).toBe(false)
  })
})

// Rules: security.md 8, 10
test.runIf(process.platform === 'linux')(
  'a folder that is swapped for a link during the search or the removal leads to no other folder',
  async () => {
    mkdirSync(path.join(root, 'victim'))
    for (const name of ['bait.txt', 'inner.txt']) writeFileSync(path.join(outside, name), 'bait')
    const stop = new SharedArrayBuffer(4)
    const attacker = new Worker(
      new URL('../../fixtures/swap-attacker.fixture.ts', import.meta.url),
      {
        workerData: { root, outside, stop },
      },
    )
    await once(attacker, 'online')
    const nothing = { guarded: new Map(), closed: [] }
    let [removed, rounds] = [0, 0]
    const until = performance.now() + 40_000
    for (; rounds < 4000; rounds += 1) {
      if (performance.now() > until && rounds >= 300) break
      const sentences = await undoNames(root, nothing, await look())
      removed += sentences.filter((sentence) => sentence.endsWith('which was removed')).length
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

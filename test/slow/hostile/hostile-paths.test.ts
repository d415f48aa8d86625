import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { decidingZones } from '#policy/globs/zones-of-path.ts'
import { protectedName } from '#policy/names/protected-names.ts'
import { parsePath } from '#sandbox/names/path-names.ts'
import { realPathOf } from '#sandbox/real-path.ts'
import { openWorkspace, type OpenWorkspace } from '#sandbox/workspace.ts'
import { seededChoices, type Choices } from '../../shell/seeded.ts'
import { seedOfRun } from '../seed-of-run.ts'

const trees = 40
const pathsATree = 150

/** Names that are nothing special, so that much of what is asked for is there. */
const plain = ['a', 'b', 'notes', 'docs', 'private']
/** Names on the disk, some of which no tool may write. */
const made = [
  'a',
  'b',
  'notes',
  'docs',
  'private',
  'Notes',
  '.git',
  '.env',
  '.vscode',
  'é',
  'e\u0301',
  'x.',
  'x ',
  'a\\b',
  '.x',
  '...',
  '\u200b',
  'ｇ',
  '\u212a',
  '~',
  'a:b',
  '-rf',
  '\n',
]
/** Names that are asked for besides. */
const paths = [
  ...made,
  '..',
  '.',
  '',
  '.GIT',
  '.ｇit',
  '.Git ',
  '.countersign',
  '.Countersign',
  '.COUNTERSIGN',
  '.coUNterſign',
  '.countersign-0011223344556677.tmp',
  'a\0b',
  '\0',
  'link',
  'loop',
  'A',
  'É',
  '\ud800',
  'x'.repeat(300),
  'key',
  'secret',
]
const zones = ['', 'notes', 'notes/private', 'docs', 'a/b'].map((root) => ({ root }))

let base: string
let root: string
let workspace: OpenWorkspace

beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'hostile-paths-')))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

/**
 * A tree of folders, files that say where they lie, and links to anywhere; beside it a folder that
 * is nobody's.
 */
async function makeTree(choose: Choices, number: number): Promise<void> {
  const inside = join(base, `${number}`)
  root = join(inside, 'root')
  const outside = join(inside, 'outside')
  for (const folder of [root, outside, join(root, '.countersign'), join(root, 'data')]) {
    mkdirSync(folder, { recursive: true })
  }
  for (const file of [
    join(outside, 'secret'),
    join(root, '.countersign/key'),
    join(root, 'data/key'),
  ]) {
    writeFileSync(file, file)
  }
  const folders = [root]
  for (let count = 10 + choose.number(30); count > 0; count -= 1) {
    const at = join(choose.one(folders), choose.one(choose.percent(60) ? plain : made))
    try {
      if (choose.percent(40)) {
        mkdirSync(at)
        folders.push(at)
      } else if (choose.percent(50)) writeFileSync(at, at, { flag: 'wx' })
      else symlinkSync(target(choose, folders), at)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  workspace = await openWorkspace({ root, hidden: ['.countersign', join(root, 'data')] })
}

function target(choose: Choices, folders: readonly string[]): string {
  return choose.one([
    join(base, 'nowhere'),
    join(root, '../outside'),
    '../outside',
    '../../outside/secret',
    '.',
    '..',
    '/',
    join(root, '.countersign'),
    join(root, 'data/key'),
    choose.one(folders),
    choose.one(made),
    `../${choose.one(made)}`,
  ])
}

function anyPath(choose: Choices): string {
  const names = Array.from({ length: 1 + choose.number(5) }, () =>
    choose.one(choose.percent(70) ? plain : choose.percent(50) ? made : paths),
  )
  const path = names.join(choose.percent(95) ? '/' : choose.one(['//', '\\', '/./', '/../']))
  return choose.percent(85)
    ? path
    : choose.one([`/${path}`, `./${path}`, `${path}/`, `${root}/${path}`, `../root/${path}`])
}

/**
 * What `work` answers, or the code with which it is refused; anything else that is thrown fails the
 * test.
 */
async function attempt<T>(
  what: string,
  work: () => Promise<T>,
): Promise<{ value: T } | { code: string }> {
  try {
    return { value: await work() }
  } catch (error) {
    if (error instanceof WorkspaceProblem) return { code: error.code }
    throw new Error(what, { cause: error })
  }
}

/** Where the kernel finds what is opened at a path, `null` when it opens nothing. */
function opened(path: string): string | null {
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch {
    return null
  }
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } finally {
    closeSync(descriptor)
  }
}

/** Where the canonical spelling of a path, without a slash at its end, leads from the root. */
function placeOf(path: string): string {
  const parsed = parsePath(path)
  return join(root, parsed.ok ? parsed.path : 'refused')
}

const foreign = (): string[] =>
  ['outside', 'root/.countersign', 'root/data'].flatMap((folder) => {
    const at = join(root, '..', folder)
    return readdirSync(at).map(
      (name) => `${folder}/${name} ${readFileSync(join(at, name), 'utf8')}`,
    )
  })

// Rules: security.md 8, 10, 11
test(`none of ${trees * pathsATree} random paths leaves its workspace, reaches a hidden folder or changes anything there`, async () => {
  const seed = seedOfRun()
  const choose = seededChoices(seed)
  const counts = { read: 0, listed: 0, written: 0, removed: 0, refused: 0 }
  for (let tree = 0; tree < trees; tree += 1) {
    await makeTree(choose, tree)
    const before = foreign()
    for (let round = 0; round < pathsATree; round += 1) {
      const path = anyPath(choose)
      const what = `SEED=${seed} tree ${tree} round ${round}: ${JSON.stringify(path)}`
      const read = await attempt(what, () => workspace.read(path, { maxBytes: 1000 }))
      if ('value' in read) {
        counts.read += 1
        const at = Buffer.from(read.value).toString('utf8').split('\n#')[0] ?? ''
        expectInside(at, what)
        expect(opened(placeOf(path)), what).toBe(opened(at))
      } else counts.refused += 1
      const listed = await attempt(what, () => workspace.list(path, { maxEntries: 100 }))
      if ('value' in listed) {
        counts.listed += 1
        expectInside(realpathSync.native(placeOf(path)), what)
        const names = listed.value.map(({ name }) => name)
        if (path === '')
          for (const hidden of ['.countersign', 'data']) expect(names).not.toContain(hidden)
      }
      if (choose.percent(30)) await change(choose, path, what, counts)
    }
    expect(foreign(), `SEED=${seed} tree ${tree}`).toEqual(before)
  }
  for (const count of Object.values(counts))
    expect(count, JSON.stringify(counts)).toBeGreaterThan(trees / 4)
}, 240_000)

/** A place of the tree: below the root, in no hidden folder. */
function expectInside(at: string, what: string): void {
  const real = realpathSync.native(at)
  expect(real === root || real.startsWith(`${root}/`), `${what} is ${real}`).toBe(true)
  for (const hidden of ['.countersign', 'data']) {
    expect(`${real}/`.startsWith(`${root}/${hidden}/`), `${what} is ${real}`).toBe(false)
  }
}

async function change(
  choose: Choices,
  path: string,
  what: string,
  counts: { written: number; removed: number },
): Promise<void> {
  const state = await attempt(what, () => workspace.state(path, { hash: true }))
  const hash = 'value' in state ? (state.value.hash ?? null) : null
  if (hash !== null && choose.percent(60)) {
    const removed = await attempt(what, () => workspace.remove(path, hash))
    if ('value' in removed) counts.removed += 1
    return
  }
  const bytes = Buffer.from(`${placeOf(path)}\n#${choose.number(1e9)}`)
  const written = await attempt(what, () => workspace.write(path, bytes, hash ?? 'absent'))
  if (!('value' in written)) return
  counts.written += 1
  // It is where the path says, by the kernel, through no link.
  const place = placeOf(path)
  expect(opened(place), what).toBe(place)
  expectInside(place, what)
  expect(readFileSync(place), what).toEqual(bytes)
}

const plainlyProtected = ['.git', '.env', '.vscode']

// Rules: security.md 8, 11
test('the zone and the protected names of a path are those of the place that the kernel finds', async () => {
  const seed = seedOfRun()
  const choose = seededChoices(seed)
  let found = 0
  for (let tree = 0; tree < trees; tree += 1) {
    await makeTree(choose, tree)
    for (let round = 0; round < pathsATree; round += 1) {
      const path = anyPath(choose)
      const what = `SEED=${seed} tree ${tree} round ${round}: ${JSON.stringify(path)}`
      const parsed = parsePath(path)
      const state = await attempt(what, () => workspace.state(path))
      if (!parsed.ok || !('value' in state) || !['file', 'directory'].includes(state.value.kind))
        continue
      found += 1
      const real = opened(placeOf(path)) ?? ''
      const inRoot = real.slice(root.length + 1)
      expectInside(real, what)
      const deepest = zones
        .map((zone) => zone.root)
        .filter((zone) => `${real}/`.startsWith(zone === '' ? root : `${root}/${zone}/`))
        .toSorted((one, other) => other.length - one.length)[0]
      expect(
        decidingZones(zones, parsed.path).map((zone) => zone.root),
        what,
      ).toEqual([deepest])
      const names = inRoot.normalize('NFKC').toLowerCase().split('/')
      if (names.some((name) => plainlyProtected.includes(name))) {
        expect(protectedName(parsed.path), what).not.toBeNull()
      }
    }
  }
  expect(found).toBeGreaterThan(trees)
}, 240_000)

// Rules: security.md 10
test('where a command finds a path is where the kernel finds it, or nobody says so', async () => {
  const seed = seedOfRun()
  const choose = seededChoices(seed)
  const counts = { there: 0, created: 0, unclear: 0 }
  for (let tree = 0; tree < trees; tree += 1) {
    await makeTree(choose, tree)
    for (let round = 0; round < pathsATree; round += 1) {
      const path = `${root}/${anyPath(choose)}`
      const what = `SEED=${seed} tree ${tree} round ${round}: ${JSON.stringify(path)}`
      const answer = await realPathOf(path)
      const there = path.includes('\0') ? null : opened(path)
      if (answer === null) {
        counts.unclear += 1
        expect(there, `${what} is there`).toBeNull()
        continue
      }
      if (there !== null) {
        counts.there += 1
        expect(answer.toWellFormed(), what).toBe(there)
      } else if (makeFolder(path)) {
        counts.created += 1
        expect(opened(path), what).toBe(answer.toWellFormed())
        rmdirSync(path)
      }
    }
  }
  for (const count of Object.values(counts))
    expect(count, JSON.stringify(counts)).toBeGreaterThan(trees)
}, 240_000)

/** One folder, made by the kernel where its parent is. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch {
    return false
  }
}

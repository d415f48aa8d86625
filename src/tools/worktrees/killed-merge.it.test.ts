import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { parseObject } from '#domain/json/parse-json.ts'
import { finishMerges } from '#sandbox/worktrees/finish-merges.ts'
import {
  readRecord,
  recordName,
  worktreeFolder,
  writeRecord,
} from '#sandbox/worktrees/worktree-record.ts'
import { undoLostCommands } from '#services/engine/attempts/undo-lost-command.ts'
import { deskConfig, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { branchCalls } from '#test/harness/fixtures/git/branch-calls.ts'
import { mergeHalfway } from '#test/harness/fixtures/git/merge-halfway.ts'
import { gitIn, gitWorker, treeOf } from '#test/harness/fixtures/git/git-workspace.ts'
import { rowsOf } from '#test/harness/fixtures/rows.ts'
import { testSandbox } from '../commands/commands.fixture.ts'

const desk = disposeAfterTests(await openAgentDesk(testSandbox))
let calls: ReturnType<typeof branchCalls>

const worker = gitWorker('shop', 'shell: { default: ask }\ntools: { merge_branch: {} }')
const git = (...words: string[]): string => gitIn(desk, 'shop', ...words)
const at = (path: string): string => join(desk.root, 'shop', path)

beforeAll(async () => {
  calls = branchCalls(desk)
  await mkdir(at('.'))
  git('init', '-q', '-b', 'main', '.')
  for (const name of ['a', 'b', 'c', 'd', 'e']) await writeFile(at(`${name}.txt`), `${name}\n`)
  git('add', '-A')
  git('commit', '-qm', 'first')
  await desk.activate({
    'countersign.yaml': `${deskConfig}workspaces:\n  shop: { root: shop, isolation: worktree, base: main }\n`,
    'workers/scribe.md': worker,
  })
})

const merge = { tool: 'merge_branch', input: { message: 'Merge it' } }
const commit = (path: string, text: string): string =>
  `echo ${text} > ${path} && git add . && git commit -qm ${text}`
const shell = (command: string) => ({ tool: 'shell', input: { command } })

/** A run whose branch was merged by a process that was killed before the checkout had it. */
async function killedMerge(path: string, text: string) {
  const run = await calls.runScriptInWorktree(commit(path, text))
  const folder = worktreeFolder(join(desk.root, '.countersign'), run.id)
  await mergeHalfway(desk, run)
  expect(git('status', '--porcelain')).toBe(`M  ${path}`)
  return { ...run, folder }
}

const finish = async (): Promise<unknown[]> => {
  const failures: unknown[] = []
  await finishMerges(join(desk.root, '.countersign'), (_, error) => failures.push(error))
  return failures
}

// Rules: product.md 3, 35
describe.skipIf(!testSandbox.works)('a branch whose process was killed', () => {
  test('after its commits were imported, and before that was recorded, takes in the next ones', async () => {
    const run = await calls.runScriptInWorktree(commit('a.txt', 'one'))
    const folder = worktreeFolder(join(desk.root, '.countersign'), run.id)
    const record = await readRecord(folder)
    if (record === null) throw new Error('no record')
    const imported = git('rev-parse', run.branch)
    expect(record.tip).toBe(imported)
    await writeRecord(folder, { ...record, tip: record.baseCommit, importing: imported })
    await calls.turn(run.id, 2, shell(commit('a.txt', 'two')))
    expect((await calls.approve(run.id, 2)).call?.text).not.toContain('not taken')
    expect(git('log', '--format=%s', run.branch, '^main')).toBe('two\none')
    expect(await readRecord(folder)).toEqual({ ...record, tip: git('rev-parse', run.branch) })
  })

  test('is not moved from a commit to which only somebody else has moved it', async () => {
    const run = await calls.runScriptInWorktree(commit('a.txt', 'mine'))
    git('branch', '-f', run.branch, 'main')
    await calls.turn(run.id, 2, shell(commit('a.txt', 'more')))
    expect((await calls.approve(run.id, 2)).call?.text).toContain('somebody else has moved')
    expect(git('rev-parse', run.branch)).toBe(git('rev-parse', 'main'))
    // Tries that change nothing do not renew the days for which the worktree is kept.
    const record = join(worktreeFolder(join(desk.root, '.countersign'), run.id), recordName)
    const { mtimeMs } = await stat(record)
    await calls.turn(run.id, 3, shell('true'))
    expect((await calls.approve(run.id, 3)).call?.text).toContain('somebody else has moved')
    expect((await stat(record)).mtimeMs).toBe(mtimeMs)
  })

  test('in the middle of a merge does not make the next merge take that merge back in a checkout', async () => {
    const killed = await killedMerge('b.txt', 'killed')
    const next = await calls.runScriptInWorktree(commit('b.txt', 'next'))
    expect(next.branch).not.toBe(killed.branch)
    await calls.turn(next.id, 2, merge)
    expect((await calls.approve(next.id, 2)).call?.text).toContain('is merged into main')
    expect(git('status', '--porcelain')).toBe('')
    expect(await readFile(at('b.txt'), 'utf8')).toBe('next\n')
    expect(await finish()).toEqual([])
    expect(await readRecord(killed.folder)).not.toHaveProperty('merging')
  })

  test('in the middle of a merge, whose checkout a person has changed, merges again only once that checkout has it', async () => {
    const killed = await killedMerge('e.txt', 'first')
    await calls.turn(killed.id, 2, shell(commit('d.txt', 'second')))
    await calls.approve(killed.id, 2)
    const merged = git('rev-parse', 'main')
    await writeFile(at('e.txt'), 'by a person\n')
    const refused = await calls.turn(killed.id, 3, merge)
    expect([refused.requestId, refused.text]).toEqual([
      '',
      expect.stringContaining('earlier merge'),
    ])
    expect(git('rev-parse', 'main')).toBe(merged)
    expect(await readFile(at('e.txt'), 'utf8')).toBe('by a person\n')
    await writeFile(at('e.txt'), 'e\n')
    await calls.turn(killed.id, 4, merge)
    expect((await calls.approve(killed.id, 4)).call?.text).toContain('is merged into main')
    expect(git('status', '--porcelain')).toBe('')
    expect(await readFile(at('e.txt'), 'utf8')).toBe('first\n')
    expect(await readRecord(killed.folder)).not.toHaveProperty('merging')
  })

  test('in the middle of a merge is completed after the base has moved on, and what a person took back stays back', async () => {
    const killed = await killedMerge('c.txt', 'behind')
    const later = git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'elsewhere')
    git('update-ref', 'refs/heads/main', later)
    expect(await finish()).toEqual([])
    expect(git('status', '--porcelain')).toBe('')
    expect(await readFile(at('c.txt'), 'utf8')).toBe('behind\n')

    const record = await readRecord(killed.folder)
    if (record === null) throw new Error('no record')
    const [from, to] = [git('rev-parse', 'main~2'), git('rev-parse', 'main~1')]
    await writeRecord(killed.folder, { ...record, merging: { from, to } })
    await writeFile(at('c.txt'), 'c\n')
    git('commit', '-qam', 'take it back')
    expect(await finish()).toMatchObject([
      { message: expect.stringContaining(`${to} --staged --worktree -- c.txt`) },
    ])
    expect(git('status', '--porcelain')).toBe('')
    expect(await readFile(at('c.txt'), 'utf8')).toBe('c\n')
  })

  test('in the middle of a merge, whose old files a person commits before the checkout has it, says once which files the base lacks', async () => {
    const killed = await killedMerge('d.txt', 'lost')
    const merged = git('rev-parse', 'main')
    await writeFile(at('mine.txt'), 'mine\n')
    git('add', 'mine.txt')
    git('commit', '-qm', 'mine')
    expect(git('show', 'main:d.txt')).not.toBe('lost')
    expect(await finish()).toMatchObject([
      { message: expect.stringContaining(`--source=${merged} --staged --worktree -- d.txt`) },
    ])
    expect(git('status', '--porcelain')).toBe('')
    expect(await readRecord(killed.folder)).not.toHaveProperty('merging')
    expect(await finish()).toEqual([])
    git('restore', `--source=${merged}`, '--staged', '--worktree', '--', 'd.txt')
    git('commit', '-qm', 'again')
    expect(await readFile(at('d.txt'), 'utf8')).toBe('lost\n')
  })

  test('in the middle of a merge of files with odd names prints a command for a shell that gets the first ten of them again, and no other file', async () => {
    const names = ['$(x) y.txt', ':(top)', ...Array.from({ length: 10 }, (_, place) => `n${place}`)]
    const write = names.map((name) => `echo odd > '${name}'`).join(' && ')
    const run = await calls.runScriptInWorktree(`${write} && git add . && git commit -qm odd`)
    await mergeHalfway(desk, run)
    await writeFile(at('other.txt'), 'other\n')
    git('add', 'other.txt')
    git('commit', '-qm', 'other')
    const [failure] = await finish()
    const [, which, command = ''] = /again(.*?): (git .*)$/s.exec(String(failure)) ?? []
    expect(which).toBe(' (the first 10 of 12)')
    const shell = spawnSync('sh', ['-c', command], { cwd: at('.'), encoding: 'utf8' })
    expect([shell.status, shell.stderr]).toEqual([0, ''])
    const added = names.slice(0, 10).map((name) => `A\t${name}`)
    expect(git('diff', 'HEAD', '--name-status').split('\n')).toEqual(added)
    git('reset', '-q', '--hard')
  })
})

// Rules: product.md 3, 35
test.skipIf(!testSandbox.works)(
  'a command that was killed with its host leaves no lock of Git in its worktree, unless another one is at work there',
  async () => {
    const run = await calls.runScriptInWorktree(commit('a.txt', 'before'))
    const [root, commands] = [treeOf(desk, run.id), join(desk.root, '.countersign/commands')]
    await calls.turn(run.id, 2, shell('while [ ! -e go ]; do sleep 0.05; done; rm go'))
    const [call] = await desk.calls(run.id, 2)
    const file = join(commands, `${call?.id}.1.json`)
    let record: JsonObject | null = null
    const watch = setInterval(() => {
      record = existsSync(file) ? parseObject(readFileSync(file, 'utf8')) : null
      if (record === null) return
      clearInterval(watch)
      writeFileSync(join(root, 'go'), '')
    }, 10)
    await calls.approve(run.id, 2)
    const [living, dead] = [join(commands, `${randomUUID()}.1.json`), spawnSync('true').pid]
    const put = (at: string, changes: object): void =>
      writeFileSync(at, JSON.stringify({ ...record, ...changes }))
    const die = (): void => put(file, { owner: { host: hostname(), pid: dead, since: '1' } })
    const locks = ['index', 'HEAD', `refs/heads/${run.branch}`].map((name) =>
      join(root, '.git', `${name}.lock`),
    )
    for (const lock of locks) await writeFile(lock, '')
    const there = (): boolean[] => locks.map((lock) => existsSync(lock))
    const settle = async (): Promise<void> => undefined

    put(living, { callId: randomUUID() })
    die()
    await undoLostCommands(desk.worker, settle)
    expect(there()).toEqual([true, true, true])

    // A Git of somebody else may hold a lock that is newer than the dead host.
    await rm(living)
    die()
    const long = Date.now() / 1000 - 60
    utimesSync(file, long, long)
    await undoLostCommands(desk.worker, settle)
    expect([...there(), existsSync(file)]).toEqual([true, true, true, false])

    // A command without a sandbox goes on after its host: the lock may be its own.
    const variable = `COUNTERSIGN_TEST=${randomUUID()}`
    put(file, { variable, owner: { host: hostname(), pid: dead, since: '1' } })
    utimesSync(file, long, long)
    await undoLostCommands(desk.worker, settle)
    expect([...there(), existsSync(file)]).toEqual([false, false, false, false])
    for (const lock of locks) await writeFile(lock, '')

    // What a command made in the place of a lock does not lose what is undone of it.
    rmSync(locks[0] ?? '')
    await mkdir(locks[0] ?? '')
    await writeFile(join(root, '.envrc'), 'evil')
    die()
    await undoLostCommands(desk.worker, settle)
    expect([...there(), existsSync(file)]).toEqual([true, false, false, false])
    const where = { call_id: call?.id ?? '', type: 'system.reconciled' } as const
    const events = await rowsOf(desk.database.db, 'audit_event', where, 'document')
    expect(events).toEqual([{ document: expect.stringContaining('.envrc') }])

    rmSync(locks[0] ?? '', { recursive: true })
    await writeFile(locks[0] ?? '', '')
    die()
    await undoLostCommands(desk.worker, settle)
    expect(there()).toEqual([false, false, false])
    await calls.turn(run.id, 3, shell(commit('a.txt', 'after')))
    expect((await calls.approve(run.id, 3)).call?.text).toContain('Exit code 0')
  },
)

// Rules: product.md 3, 35
test.skipIf(!testSandbox.works)(
  'a Git that is ended with its command, whose time is over, leaves no lock in the worktree of its run',
  async () => {
    const run = await calls.runScriptInWorktree(commit('a.txt', 'quick'))
    // Git holds the index while it reads the names.
    const slow = { command: 'sleep 300 | git update-index --stdin', timeoutSeconds: 2 }
    await calls.turn(run.id, 2, { tool: 'shell', input: slow })
    expect((await calls.approve(run.id, 2)).call?.text).toContain('its time was over')
    await calls.turn(run.id, 3, shell(commit('a.txt', 'afterwards')))
    expect((await calls.approve(run.id, 3)).call?.text).toContain('Exit code 0')
  },
)

// Rules: product.md 3, 35
describe.skipIf(!testSandbox.works)('a merge beside a lock of Git', () => {
  test('on the base, which a killed Git left, says so to the model, and merges nothing', async () => {
    const run = await calls.runScriptInWorktree(commit('d.txt', 'locked'))
    const before = git('rev-parse', 'main')
    await calls.turn(run.id, 2, merge)
    const lock = at('.git/refs/heads/main.lock')
    const { call } = await calls.approve(run.id, 2, () => writeFile(lock, ''))
    await rm(lock)
    expect(call).toMatchObject({ result: 'error', text: expect.stringContaining('main.lock') })
    expect(git('rev-parse', 'main')).toBe(before)
    expect(git('status', '--porcelain')).toBe('')
    await calls.turn(run.id, 3, merge)
    expect((await calls.approve(run.id, 3)).call?.text).toContain('is merged into main')
  })

  test('on a checkout, held for a moment by another Git, waits for it', async () => {
    const run = await calls.runScriptInWorktree(commit('d.txt', 'moment'))
    await calls.turn(run.id, 2, merge)
    const lock = at('.git/index.lock')
    const { call } = await calls.approve(run.id, 2, () => {
      writeFileSync(lock, '')
      // It goes while the call is carried out, which begins with commands that take longer.
      setTimeout(() => rmSync(lock), 1500)
    })
    expect(call?.text).toContain('is merged into main')
    expect(git('status', '--porcelain')).toBe('')
  })

  test('on a checkout, taken just after the base moved, is a merge, and the checkout follows later', async () => {
    const run = await calls.runScriptInWorktree(commit('e.txt', 'late'))
    const before = git('rev-parse', 'main')
    await calls.turn(run.id, 2, merge)
    const [ref, lock] = [at('.git/refs/heads/main'), at('.git/index.lock')]
    const watch = setInterval(() => {
      if (readFileSync(ref, 'utf8').trim() === before) return
      clearInterval(watch)
      writeFileSync(lock, '')
    }, 1)
    const { call } = await calls.approve(run.id, 2)
    clearInterval(watch)
    expect(call).toMatchObject({ result: 'output', text: expect.stringContaining('index.lock') })
    expect(git('log', '-1', '--format=%s', 'main')).toBe('Merge it')
    expect(await finish()).toEqual([expect.objectContaining({ name: 'Error' })])
    await rm(lock)
    expect(await finish()).toEqual([])
    expect(git('status', '--porcelain')).toBe('')
  })
})

import { spawnSync } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { finishMerge } from '#sandbox/worktrees/merge-commits.ts'
import { readRecord, worktreeFolder, writeRecord } from '#sandbox/worktrees/worktree-record.ts'
import { deskConfig, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { branchCalls } from '#test/harness/fixtures/git/branch-calls.ts'
import { gitIn, gitWorker } from '#test/harness/fixtures/git/git-workspace.ts'
import { testSandbox } from '../commands/commands.fixture.ts'

const desk = disposeAfterTests(await openAgentDesk(testSandbox))
let calls: ReturnType<typeof branchCalls>

const worker = gitWorker(
  'shop',
  '  - { name: kept, root: kept, mode: ro }\nshell: { default: ask }\ntools: { merge_branch: {} }',
)

const git = (...words: string[]): string => gitIn(desk, 'shop', ...words)
const put = (path: string, text: string): Promise<void> =>
  writeFile(join(desk.root, 'shop', path), text)

beforeAll(async () => {
  calls = branchCalls(desk)
  await mkdir(join(desk.root, 'shop/kept'), { recursive: true })
  git('init', '-q', '-b', 'main', '.')
  for (const path of ['a.txt', 'b.txt', 'kept/k.txt']) await put(path, `${path}\n`)
  git('add', '-A')
  git('commit', '-qm', 'first')
  // Nothing of the person's own settings may run.
  await mkdir(join(desk.root, 'shop/.git/hooks'), { recursive: true })
  for (const name of ['reference-transaction', 'post-merge', 'pre-merge-commit']) {
    await writeFile(join(desk.root, 'shop/.git/hooks', name), `#!/bin/sh\ntouch ../ran\n`, {
      mode: 0o755,
    })
  }
  await desk.activate({
    'countersign.yaml': `${deskConfig}workspaces:\n  shop: { root: shop, isolation: worktree, base: main }\n`,
    'workers/scribe.md': worker,
  })
})

const merge = (message = 'Merge it') => ({ tool: 'merge_branch', input: { message } })

const commit = (path: string, text: string): string =>
  `printf '${text}\\n' > ${path} && git add . && git commit -qm 'change ${path}'`

// Rules: product.md 35, 36
describe.skipIf(!testSandbox.works)('merge_branch', () => {
  test('asks with the whole difference, says what it does not show, and merges with our identity and trailers', async () => {
    const run = await calls.runScriptInWorktree(
      `printf '#\\0\\nevil\\n' > nul.sh && ${commit('a.txt', 'one')}`,
    )
    const before = git('rev-parse', 'main')
    const call = await calls.turn(run.id, 2, merge())
    expect(call.verdict).toBe('ask')
    expect(await calls.readPresentation(call.requestId)).toMatchObject({
      type: 'diff',
      content: expect.stringContaining('-a.txt\n+one\n'),
      metadata: {
        branch: run.branch,
        base: 'main',
        baseCommit: before,
        headCommit: git('rev-parse', run.branch),
        commits: [{ hash: git('rev-parse', run.branch), subject: 'change a.txt' }],
        binary: [{ path: 'nul.sh', before: null, after: { bytes: 8 } }],
      },
      warnings: expect.arrayContaining([expect.stringMatching(/^nul\.sh is binary, .*8 bytes/)]),
    })
    await put('b.txt', 'my own change\n')
    expect((await calls.approve(run.id, 2)).call?.text).toContain(
      `${run.branch} is merged into main`,
    )
    expect(git('log', '-1', '--format=%P|%an <%ae>|%cn|%B', 'main')).toBe(
      `${before} ${git('rev-parse', run.branch)}|scribe for Ada <worker@countersign.localhost>|Countersign|Merge it\n\nCountersign-Request: ${call.requestId}\nApproved-by: Grace <grace@example.com>`,
    )
    // The person's checkout follows, and what they changed themselves stays.
    expect(await readFile(join(desk.root, 'shop/a.txt'), 'utf8')).toBe('one\n')
    expect(git('status', '--porcelain')).toBe('M b.txt')
    expect(spawnSync('ls', [desk.root], { encoding: 'utf8' }).stdout).not.toContain('ran')
    git('checkout', '-q', 'b.txt')
  })

  test.each([
    ['nothing is committed', 'true', undefined, 'There is nothing to merge'],
    ['something is not committed', 'echo x > b.txt', undefined, 'Commit first'],
    [
      'the message has our trailer',
      commit('b.txt', 'x'),
      'x\n\nApproved-by: Eve',
      '"Approved-by:"',
    ],
    [
      'policy keeps a path',
      `git update-index --add --cacheinfo 100644,$(echo x | git hash-object -w --stdin),kept/new.txt && git commit -qm x && git reset -q --hard || git checkout -qf`,
      undefined,
      'kept',
    ],
    [
      'a submodule moves, which a difference shows by a hash alone',
      `git update-index --add --cacheinfo 160000,${'1'.repeat(40)},lib && git commit -qm x && mkdir lib`,
      undefined,
      'the submodule "lib"',
    ],
    [
      'a path is protected',
      `git update-index --add --cacheinfo 100644,$(echo x | git hash-object -w --stdin),.gitattributes && git commit -qm x; git checkout -qf HEAD -- . ; true`,
      undefined,
      '.gitattributes',
    ],
  ])('asks nobody when %s', async (_, script, message, problem) => {
    const run = await calls.runScriptInWorktree(script)
    const call = await calls.turn(run.id, 2, merge(message))
    expect([call.verdict, call.requestId]).toEqual([expect.stringMatching(/error|blocked/), ''])
    expect(call.text).toContain(problem)
  })

  test('asks nobody where the difference to one common commit hides what is reverted', async () => {
    git('checkout', '-q', '-b', 'side')
    await put('b.txt', 'repaired\n')
    git('commit', '-qam', 'repair')
    git('checkout', '-q', 'main')
    git('commit', '-q', '--allow-empty', '-m', 'meanwhile')
    git('merge', '-q', '--no-ff', '-m', 'both', 'side')
    const old = `echo b.txt > b.txt && echo shown > a.txt && git add .`
    const run = await calls.runScriptInWorktree(
      `${old} && git reset -q --hard $(git commit-tree $(git write-tree) -p HEAD^1 -p HEAD^2 -m quiet)`,
    )
    const call = await calls.turn(run.id, 2, merge())
    expect([call.verdict, call.requestId]).toEqual([expect.stringMatching(/error|blocked/), ''])
    expect(call.text).toContain('several commits in common with main')
    expect(await readFile(join(desk.root, 'shop/b.txt'), 'utf8')).toBe('repaired\n')
    await put('b.txt', 'b.txt\n')
    git('commit', '-qam', 'as before')
  })

  test('is judged by the paths that it changes in the base, which may have renamed them', async () => {
    const run = await calls.runScriptInWorktree(commit('b.txt', 'follows'))
    const other = await calls.runScriptInWorktree(commit('b.txt', 'follows too'))
    git('mv', 'b.txt', 'c.txt')
    git('commit', '-qm', 'rename')
    const call = await calls.turn(run.id, 2, merge())
    expect(await calls.readPresentation(call.requestId)).toMatchObject({
      warnings: expect.arrayContaining(['It changes c.txt, which main has renamed since.']),
    })
    git('mv', 'c.txt', 'kept/c.txt')
    git('commit', '-qm', 'keep')
    const kept = await calls.turn(other.id, 2, merge())
    expect([kept.verdict, kept.requestId]).toEqual([expect.stringMatching(/error|blocked/), ''])
    expect(kept.text).toContain('kept')
    git('mv', 'kept/c.txt', 'b.txt')
    git('commit', '-qm', 'back')
  })

  test('is stale once either branch has another commit, and asks again', async () => {
    const run = await calls.runScriptInWorktree(commit('a.txt', 'two'))
    await calls.turn(run.id, 2, merge())
    await calls.approve(run.id, 2, () => git('commit', '-q', '--allow-empty', '-m', 'beside'))
    expect(git('log', '-1', '--format=%s', 'main')).toBe('beside')
    expect((await desk.calls(run.id, 2))[0]?.result ?? null).toBeNull()
  })

  test('fails with the files that conflict, and, as its request warns, for a dirty file it would touch; nothing moves', async () => {
    const run = await calls.runScriptInWorktree(commit('a.txt', 'three'))
    await put('a.txt', 'theirs\n')
    git('commit', '-qam', 'theirs')
    await calls.turn(run.id, 2, merge())
    expect((await calls.approve(run.id, 2)).call).toMatchObject({
      result: 'error',
      text: expect.stringContaining('both change a.txt'),
    })
    const other = await calls.runScriptInWorktree(commit('b.txt', 'four'))
    await put('b.txt', 'dirty\n')
    // A person's own Git holds the index just then, and keeps it.
    await put('.git/index.lock', '')
    const dirty = await calls.turn(other.id, 2, merge())
    await rm(join(desk.root, 'shop/.git/index.lock'))
    expect(await calls.readPresentation(dirty.requestId)).toMatchObject({
      warnings: expect.arrayContaining([
        expect.stringMatching(/^It will fail as long as main is checked out .*b\.txt/),
      ]),
    })
    expect((await calls.approve(other.id, 2)).call).toMatchObject({
      result: 'error',
      text: expect.stringContaining('b.txt'),
    })
    expect(git('log', '-1', '--format=%s', 'main')).toBe('theirs')
    expect(git('status', '--porcelain')).toBe('M b.txt')
    git('checkout', '-q', 'b.txt')
  })

  test('warns of no change in a checkout whose index Git cannot read', async () => {
    const run = await calls.runScriptInWorktree(commit('b.txt', 'unread'))
    const index = join(desk.root, 'shop/.git/index')
    const bytes = await readFile(index)
    await put('.git/index', 'no index')
    const call = await calls.turn(run.id, 2, merge())
    await writeFile(index, bytes)
    const { warnings } = await calls.readPresentation(call.requestId)
    expect(warnings.join('\n')).not.toContain('It will fail')
  })

  test('takes in what could not be taken in after its command, whose end is known', async () => {
    const run = await calls.runScriptInWorktree('true')
    await calls.turn(run.id, 2, { tool: 'shell', input: { command: commit('a.txt', 'late') } })
    const folder = worktreeFolder(join(desk.root, '.countersign'), run.id)
    const obstacle = join(folder, 'worktree.json.new')
    const { call } = await calls.approve(run.id, 2, () => mkdir(obstacle))
    expect(call?.text).toContain('may not have been taken into the repository: EISDIR')
    expect(call?.text).toContain('Exit code 0.')
    await rm(obstacle, { recursive: true })
    expect((await calls.turn(run.id, 3, merge())).verdict).toBe('ask')
  })

  test('that was killed after the branch moved is completed by the next start', async () => {
    const run = await calls.runScriptInWorktree(commit('b.txt', 'five'))
    const folder = worktreeFolder(join(desk.root, '.countersign'), run.id)
    const record = await readRecord(folder)
    if (record === null) throw new Error('no record')
    const [from, to] = [git('rev-parse', 'main'), git('rev-parse', run.branch)]
    await writeRecord(folder, { ...record, merging: { from, to } })
    await finishMerge(folder)
    expect(git('status', '--porcelain')).toBe('')
    await writeRecord(folder, { ...record, merging: { from, to } })
    git('-c', 'core.hooksPath=/dev/null', 'update-ref', 'refs/heads/main', to, from)
    expect(git('status', '--porcelain')).not.toBe('')
    await finishMerge(folder)
    expect(git('status', '--porcelain')).toBe('')
    expect(await readFile(join(desk.root, 'shop/b.txt'), 'utf8')).toBe('five\n')
  })
})

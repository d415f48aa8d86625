import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { gitIn, gitWorker, treeOf } from '#test/harness/fixtures/git/git-workspace.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { setRows } from '#test/harness/fixtures/rows.ts'
import { testSandbox } from '#tools/commands/commands.fixture.ts'
import { markingUnusable } from '../../engine/attempts/unusable-workspace.ts'
import { admitRun } from '../../engine/lifecycle/admit-run.ts'
import { forkRun } from '../forking/fork-run.ts'
import { getRun } from '../reading/get-run.ts'
import { startRun } from './start-run.ts'
import { writeCall } from '#test/harness/fixtures/runs/file-calls.ts'

const desk = disposeAfterTests(await openAgentDesk(testSandbox))

const worker = gitWorker(
  '[shop, equipped, broken, elsewhere]',
  `shell:
  default: ask
  rules:
    - { pattern: git add, approval: preApproved }
    - { pattern: git commit, approval: preApproved }
    - { pattern: sh probe.sh, approval: ask }
workers: [helper]
tools: { call_worker: { approval: preApproved } }`,
)
const config = `${deskConfig}workspaces:
  shop: { root: shop, isolation: worktree, base: main }
  equipped: { root: shop, isolation: worktree, base: main, copy: [deps, gone] }
  broken: { root: notes, isolation: worktree }
  elsewhere: { root: shop, isolation: worktree, base: gone }
`

const git = (...words: string[]): string => gitIn(desk, 'shop', ...words)

beforeAll(async () => {
  await mkdir(join(desk.root, 'shop'))
  await mkdir(join(desk.root, 'notes'))
  git('init', '-q', '-b', 'main', '.')
  await writeFile(join(desk.root, 'shop/a.txt'), 'a\n')
  await writeFile(join(desk.root, 'shop/.env'), 'TOKEN=example\n')
  git('add', '-A', '-f')
  git('commit', '-qm', 'first')
  await mkdir(join(desk.root, 'shop/deps'))
  await writeFile(join(desk.root, 'shop/deps/greet.sh'), 'echo Hello\n')
  await symlink(join(desk.root, 'notes'), join(desk.root, 'shop/deps/outside'))
  await desk.activate({
    'countersign.yaml': config,
    'workers/scribe.md': worker,
    'workers/helper.md': gitWorker(
      'shop',
      'tools: { merge_branch: {} }\nshell: { default: ask }',
    ).replace('name: scribe', 'name: helper'),
  })
})

const start = (workspace = 'shop') =>
  startRun(desk.api, desk.people.ada.caller, { worker: 'scribe', input: 'Go', workspace })

const exec = (...[file = '', ...args]: string[]) => ({ tool: 'exec', input: { file, args } })

/** What calls of one turn became, carried out one after the other; Grace approves what asks. */
async function took(runId: string, turn: number, ...calls: { tool: string; input: object }[]) {
  desk.say({ calls: calls as never })
  await desk.turn(runId, turn)
  for (const call of await desk.calls(runId, turn)) {
    if (call.verdict === 'ask') await desk.decide(desk.people.grace, call.requestId)
    if (call.result === null) await desk.execute(call.id)
  }
  return desk.calls(runId, turn)
}

// Rules: product.md 35
describe.skipIf(!testSandbox.works)('a run in a workspace with isolation', () => {
  test('has a branch and a worktree of its own, which its record names', async () => {
    const head = git('rev-parse', 'main')
    const { id, number, workspace } = await start()
    const branch = `countersign/${number}-scribe`
    const expected = { name: 'shop', isolation: 'worktree', branch, base: 'main', baseCommit: head }
    expect(workspace).toEqual(expected)
    const done = await took(
      id,
      1,
      writeCall('a.txt', 'changed\n'),
      exec('git', 'commit', '-qam', 'two'),
    )
    expect(done[1]?.text).toContain('Exit code 0')
    expect((await getRun(desk.api, desk.people.ada.caller, id)).workspace).toEqual(expected)
    expect(await desk.read('shop/a.txt')).toBe('a\n')
    expect(git('status', '--porcelain', '-b', '-uno')).toBe('## main')
    expect(git('rev-parse', 'main')).toBe(head)
    expect(git('log', '-1', '--format=%s|%an|%b', branch)).toBe(
      `two|scribe for Ada|Countersign-Request: ${done[1]?.requestId}\nApproved-by: Grace <grace@example.com>`,
    )
    expect(git('diff', '--name-only', `main...${branch}`)).toBe('a.txt')
  })

  test('that cannot get its worktree says why to people, and continues once it can', async () => {
    const { id, number } = await start()
    const lock = join(desk.root, `shop/.git/refs/heads/countersign/${number}-scribe.lock`)
    await mkdir(join(lock, '..'), { recursive: true })
    await writeFile(lock, '')
    desk.say({ calls: [writeCall('a.txt', 'late\n')] })
    const refused = markingUnusable(desk.worker, { runId: id }, () => desk.turn(id, 1))
    await expect(refused).rejects.toThrow('scribe.lock')
    const { failure } = await getRun(desk.api, desk.people.ada.caller, id)
    expect(failure).toMatchObject({
      code: 'workspace_unusable',
      message: expect.stringMatching(/no worktree can be made of it \(.*scribe\.lock/),
    })
    await rm(lock)
    expect(await desk.perform(await desk.turn(id, 1))).toEqual([{ kind: 'done' }])
    expect((await desk.calls(id, 1))[0]?.result).toBe('output')
  })

  test('is not created for an explanation: a call that merges the branch would ask', async () => {
    const call = { worker: 'helper', tool: 'merge_branch', input: { message: 'Merge it' } }
    const { judgement } = await desk.api.judgeRemotely({ ...call, present: false })
    expect(judgement).toMatchObject({ verdict: 'ask', rule: { id: 'tool:merge_branch' } })
  })

  test('does not conflict with another run that changes the same file at once', async () => {
    const [one, two] = await Promise.all([start(), start()])
    await took(one.id, 1, writeCall('a.txt', 'one\n'))
    await took(two.id, 1, writeCall('a.txt', 'two\n'))
    await took(one.id, 2, exec('git', 'commit', '-qam', 'one'))
    await took(two.id, 2, exec('git', 'commit', '-qam', 'two'))
    expect(git('show', `${one.workspace.branch}:a.txt`)).toBe('one')
    expect(git('show', `${two.workspace.branch}:a.txt`)).toBe('two')
  })

  test('shares its worktree and branch with its child runs there, and with no fork of it', async () => {
    const { id, workspace } = await start()
    const read = { tool: 'read_file', input: { path: 'a.txt' } }
    await took(id, 1, writeCall('a.txt', 'of the parent\n'))
    const call = await proposeCall(desk, id, 2, {
      tool: 'call_worker',
      input: { worker: 'helper', input: 'Go' },
    })
    if (call.verdict === 'ask') await desk.decide(desk.people.grace, call.requestId)
    const outcome = await desk.execute(call.id)
    if (outcome.kind !== 'wait') expect.fail(call.text ?? outcome.kind)
    const childId = outcome.requestIds[0] ?? ''
    expect(await admitRun(desk.api, { runId: childId })).toBe(true)
    const [result] = await took(childId, 1, read)
    expect(result?.text).toContain('of the parent')
    await took(childId, 2, writeCall('b.txt', 'of the child\n'), exec('git', 'add', '.'))
    await took(childId, 3, exec('git', 'commit', '-qam', 'from the child'))
    expect(await readFile(join(treeOf(desk, id), 'b.txt'), 'utf8')).toBe('of the child\n')
    expect(existsSync(treeOf(desk, childId))).toBe(false)
    expect(git('log', '-1', '--format=%s', workspace.branch ?? '')).toBe('from the child')
    const { ada } = desk.people
    const fork = await forkRun(desk.api, ada.caller, { runId: id, afterTurn: 1, text: 'Go on' })
    expect((await getRun(desk.api, ada.caller, fork.id)).workspace.branch).not.toBe(
      workspace.branch,
    )
    const [before] = await took(fork.id, 2, read)
    expect(before?.text).not.toContain('of the parent')
    await took(fork.id, 3, writeCall('a.txt', 'of the fork\n'))
    expect(await readFile(join(treeOf(desk, id), 'a.txt'), 'utf8')).toBe('of the parent\n')
  })

  test('cannot write hooks, settings, branches or objects of the repository, nor see its folder', async () => {
    const { id } = await start()
    const real = join(desk.root, 'shop')
    const others = () => git('for-each-ref', 'refs/heads/main', 'refs/heads/evil')
    const files = () =>
      ['config', 'HEAD'].map((name) => readFileSync(join(real, '.git', name), 'utf8'))
    const before = [others(), files()]
    const script = `
for at in hooks/post-commit config refs/heads/evil objects/evil HEAD info/attributes; do
  echo x > "${real}/.git/$at" 2> /dev/null
done
cat "${real}/a.txt" 2> /dev/null && echo "read the folder"
ls "${desk.root}/.countersign/worktrees" 2> /dev/null
cat ../worktree.json 2> /dev/null
git -C "${real}" update-ref refs/heads/evil HEAD 2> /dev/null && echo "made a branch"
git log --format=%s
`
    const [, ran] = await took(id, 1, writeCall('probe.sh', script), exec('sh', 'probe.sh'))
    expect(ran?.text).toContain('first')
    for (const word of ['read the folder', 'made a branch', 'host.git', 'objectStores']) {
      expect(ran?.text).not.toContain(word)
    }
    expect([others(), files()]).toEqual(before)
    expect(existsSync(join(real, '.git/hooks/post-commit'))).toBe(false)
  })

  test('puts no hook, filter, link or borrowed object of its own Git folder into the repository', async () => {
    const { id, workspace } = await start()
    const script = `
mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch /tmp/x\\n' > .git/hooks/pre-commit
git config core.fsmonitor 'touch evil'; git config core.hooksPath /tmp
echo /etc > .git/objects/info/alternates
printf 'a.txt filter=evil\\n' > attributes
echo ok > b.txt; git add b.txt; git commit -qm kept || echo refused
rm -rf .git/refs/heads; ln -s ${join(desk.root, 'shop/.git/refs/heads')} .git/refs/heads; true
`
    await took(id, 1, writeCall('probe.sh', script), exec('sh', 'probe.sh'))
    expect(git('rev-parse', 'main')).toBe(git('rev-parse', workspace.branch ?? ''))
    expect(git('fsck', '--strict')).toBe('')
    expect(await readFile(join(treeOf(desk, id), '.git/config'), 'utf8')).not.toContain('fsmonitor')
  })

  test('sees covered files as unchanged, and commits none of them', async () => {
    const { id, workspace } = await start()
    await took(id, 1, writeCall('c.txt', 'c\n'))
    await writeFile(join(treeOf(desk, id), '.env'), 'TOKEN=secret\n')
    const done = await took(id, 2, exec('git', 'add', '.'), exec('git', 'commit', '-qm', 'all'))
    expect(done.at(-1)?.text).toContain('Exit code 0')
    expect(git('diff', '--name-only', `main...${workspace.branch}`)).toBe('c.txt')
  })

  test('begins with copies of the files that "copy" names: its commands use them, and no commit has them', async () => {
    const { id, workspace } = await start('equipped')
    const check = 'test "$(sh deps/greet.sh)" = Hello && echo passed; cat deps/outside/*\n'
    const done = await took(
      id,
      1,
      writeCall('probe.sh', check),
      exec('sh', 'probe.sh'),
      exec('git', 'add', '-A'),
      exec('git', 'commit', '-qm', 'tested'),
    )
    expect(done[1]?.text).toContain('passed')
    expect(done[1]?.text).toContain('No such file')
    expect(git('diff', '--name-only', `main...${workspace.branch}`)).toBe('probe.sh')
  })

  test('changes its own copies, which neither the folder nor another run shares', async () => {
    const [one, two] = await Promise.all([start('equipped'), start('equipped')])
    await took(one.id, 1, writeCall('deps/greet.sh', 'echo changed\n'))
    const [, ran] = await took(
      two.id,
      1,
      writeCall('probe.sh', 'sh deps/greet.sh\n'),
      exec('sh', 'probe.sh'),
    )
    expect(ran?.text).toContain('Hello')
    expect(await desk.read('shop/deps/greet.sh')).toBe('echo Hello\n')
    expect(await readFile(join(treeOf(desk, one.id), 'deps/greet.sh'), 'utf8')).toBe(
      'echo changed\n',
    )
  })

  test('does not start where the folder is no repository, or has no such branch', async () => {
    expect(await refusal(start('broken'))).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('not the top folder of a Git repository'),
    })
    expect(await refusal(start('elsewhere'))).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('no branch gone'),
    })
  })

  // Rules: security.md 13, 29
  test('leaves its base as it was when SQL names that as its own branch', async () => {
    const head = git('rev-parse', 'main')
    const { id, number } = await start()
    const worktree = JSON.stringify({ branch: 'main', base: 'main', baseCommit: head })
    await setRows(desk.database.db, 'run', { id }, { worktree })
    await took(id, 1, writeCall('a.txt', 'changed\n'), exec('git', 'commit', '-qam', 'two'))
    expect(git('rev-parse', 'main')).toBe(head)
    expect(git('log', '-1', '--format=%s', `countersign/${number}-scribe`)).toBe('two')
  })

  test('executes nothing once its base commit was changed in the database', async () => {
    const { id } = await start()
    await setRows(
      desk.database.db,
      'run',
      { id },
      { worktree: JSON.stringify({ branch: 'x', base: 'main', baseCommit: '0'.repeat(40) }) },
    )
    const [call] = await took(id, 1, writeCall('a.txt', 'x')).catch(() => [])
    expect(call?.result ?? null).not.toBe('output')
  })
})

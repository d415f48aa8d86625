import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { remoteGitEnvironment, shownAddress } from '#sandbox/worktrees/remote-git.ts'
import { settleOutcome } from '#services/decisions/settle-outcome.ts'
import { getRequest } from '#services/requests/detail/get-request.ts'
import { deskConfig, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { branchCalls } from '#test/harness/fixtures/git/branch-calls.ts'
import { gitIn, gitWorker } from '#test/harness/fixtures/git/git-workspace.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { testSandbox } from '../commands/commands.fixture.ts'

const desk = disposeAfterTests(await openAgentDesk(testSandbox))
let calls: ReturnType<typeof branchCalls>

const worker = gitWorker('shop', 'shell: { default: ask }\ntools: { git_push: {} }')

const git = (...words: string[]): string => gitIn(desk, 'shop', ...words)
const remote = (...words: string[]): string => gitIn(desk, 'remote.git', ...words)

beforeAll(async () => {
  calls = branchCalls(desk)
  await mkdir(join(desk.root, 'shop/secret'), { recursive: true })
  await mkdir(join(desk.root, 'remote.git'))
  remote('init', '-q', '--bare', '-b', 'main')
  git('init', '-q', '-b', 'main', '.')
  await writeFile(join(desk.root, 'shop/a.txt'), 'a\n')
  git('add', '-A')
  git('commit', '-qm', 'first')
  git('remote', 'add', 'origin', '../remote.git')
  git('remote', 'add', 'helper', `ext::touch ${desk.root.replaceAll(' ', '% ')}/ran`)
  git('remote', 'add', 'away', 'https://ada:hunter2@127.0.0.1:1/shop.git')

  git('push', '-q', 'origin', 'main')
  // Nothing of the repository's own settings may count or run.
  await mkdir(join(desk.root, 'shop/.git/hooks'), { recursive: true })
  await mkdir(join(desk.root, 'other.git'))
  const evil = `touch '${desk.root}/ran'`
  for (const name of ['pre-push', 'reference-transaction', 'post-update']) {
    const hook = join(desk.root, 'shop/.git/hooks', name)
    await writeFile(hook, `#!/bin/sh\n${evil}\n`, { mode: 0o755 })
  }
  git('config', 'core.sshCommand', evil)
  git('config', 'credential.helper', `!${evil}`)
  git('config', `url.${desk.root}/other.git.insteadOf`, '../remote.git')
  await desk.activate({
    'countersign.yaml': `${deskConfig}workspaces:\n  shop: { root: shop, isolation: worktree, base: main }\noverlays:\n  - { when: { tool: git_push, path: "secret/**" }, approval: { blocked: It is secret } }\n`,
    'workers/scribe.md': worker,
  })
})

const push = (input: object = {}) => ({ tool: 'git_push', input })

const commit = (text: string): string => `echo ${text} > a.txt && git commit -qam ${text}`

/** Ends with `kill -9` every push that this process makes. Answers how many. */
function killPushes(): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const mine = pids.filter((pid) => {
    try {
      const [, , , parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return Number(parent) === process.pid && words[0] === 'git' && words.includes('push')
    } catch {
      return false
    }
  })
  for (const pid of mine) process.kill(Number(pid), 'SIGKILL')
  return mine.length
}

// Rules: product.md 36
describe.skipIf(!testSandbox.works)('git_push', () => {
  test('asks at high risk with address and every commit, and pushes exactly those, without a hook or setting of the repository', async () => {
    const run = await calls.runScriptInWorktree(`${commit('secret-word')} && ${commit('two')}`)
    const head = git('rev-parse', run.branch)
    const call = await calls.turn(run.id, 2, push())
    expect(call.verdict).toBe('ask')
    const { content, metadata } = await calls.readPresentation(call.requestId)
    expect(metadata).toEqual({
      remote: 'origin',
      url: '../remote.git',
      branch: run.branch,
      oldCommit: null,
      newCommit: head,
      commits: 2,
    })
    // What a later commit removes is pushed as well.
    for (const line of ['+secret-word', '-secret-word', '+two', head])
      expect(content).toContain(line)
    const { risk } = await rowOf(desk.database.db, 'request', { id: call.requestId })
    expect(risk).toBe('high')
    const shown = { request: call.requestId }
    expect((await getRequest(desk.api, desk.people.grace.caller, shown)).effect).toBe(
      `Push 2 commits of ${run.branch} to origin (../remote.git)`,
    )
    expect(remote('branch', '--list', run.branch)).toBe('')
    expect((await calls.approve(run.id, 2)).call?.text).toContain(`is at ${head}`)
    expect(remote('rev-parse', run.branch)).toBe(head)
    expect(remote('for-each-ref', '--format=%(refname:short)')).toBe(`${run.branch}\nmain`)
    expect(existsSync(join(desk.root, 'ran'))).toBe(false)
    // The same call again needs no approval, because there is nothing left to push.
    const again = await calls.turn(run.id, 3, push())
    expect([again.verdict, again.result === null]).toEqual(['preApproved', true])
    await desk.execute(again.id)
    const [answered] = await desk.calls(run.id, 3)
    expect(answered?.text).toBe(`already so: origin has ${run.branch} at ${head}.`)
  })

  test('of another commit is not the same call again; the same commit once more is', async () => {
    const { grace } = desk.people
    const againOf = async (request: string): Promise<number> =>
      (await getRequest(desk.api, grace.caller, { request })).alike.again
    const run = await calls.runScriptInWorktree(commit('first-push'))
    await calls.turn(run.id, 2, push())
    await calls.approve(run.id, 2)
    await calls.turn(run.id, 3, { tool: 'shell', input: { command: commit('second-push') } })
    await calls.approve(run.id, 3)
    const second = await calls.turn(run.id, 4, push())
    expect(await againOf(second.requestId)).toBe(0)
    const { seen } = await calls.readPresentation(second.requestId)
    await desk.decide(grace, second.requestId, { reason: 'read', seen })
    await desk.execute(second.id)
    expect(remote('rev-parse', run.branch)).toBe(git('rev-parse', run.branch))
    remote('update-ref', '-d', `refs/heads/${run.branch}`)
    const third = await calls.turn(run.id, 5, push())
    expect(await againOf(third.requestId)).toBe(1)
    const presentation = await calls.readPresentation(third.requestId)
    await expect(
      desk.decide(grace, third.requestId, { reason: 'read', seen: presentation.seen }),
    ).rejects.toMatchObject({ code: 'again_required' })
  })

  test('tells the approver of every file whose bytes the difference leaves out or cannot show', async () => {
    const late = `head -c 9000 /dev/zero | tr '\\0' a > late.sh && printf '\\0evil' >> late.sh`
    const run = await calls.runScriptInWorktree(
      `printf '#\\0\\nevil\\n' > nul.sh && ${late} && printf '\\351\\n' > latin.txt && echo '* -diff' > .gitattributes && git add . && git commit -qm hidden && ${commit('after')}`,
    )
    const call = await calls.turn(run.id, 2, push())
    expect(call).toMatchObject({ verdict: 'ask' })
    const { content, metadata, warnings } = await calls.readPresentation(call.requestId)
    const object = git('rev-parse', `${run.branch}:nul.sh`)
    expect(metadata).toMatchObject({
      binary: [{ path: 'nul.sh', before: null, after: { bytes: 8, object } }],
    })
    expect(warnings).toContain(
      `nul.sh is binary, and its contents are not shown (before: not there; after: 8 bytes, object ${object}).`,
    )
    expect(warnings).toContain('Some bytes are not UTF-8: they are shown as \u{FFFD}.')
    expect(content).toContain('a\0evil')
    expect(content).toContain('+* -diff')
  })

  test('shows what a merge reverts when its first parent is not the commit of the remote', async () => {
    const run = await calls.runScriptInWorktree(commit('taken-back'))
    remote('fetch', '-q', '../shop', `${run.branch}:${run.branch}`)
    const revert = 'git commit-tree HEAD~1^{tree} -p HEAD~1 -p HEAD -m quiet'
    const command = `git reset -q --hard $(${revert})`
    await calls.turn(run.id, 2, { tool: 'shell', input: { command } })
    await calls.approve(run.id, 2)
    const call = await calls.turn(run.id, 3, push())
    expect(call.verdict).toBe('ask')
    const { content, warnings } = await calls.readPresentation(call.requestId)
    expect(content).toContain('-taken-back\n+a\n')
    expect(warnings).toContain(
      'A merge replaces what origin has: the first difference is that of the whole push.',
    )
    remote('update-ref', '-d', `refs/heads/${run.branch}`)
  })

  test('asks again once the branch of the remote has moved, and pushes nothing', async () => {
    const run = await calls.runScriptInWorktree(commit('mine'))
    await calls.turn(run.id, 2, push())
    const { outcome } = await calls.approve(run.id, 2, () => remote('branch', run.branch, 'main'))
    expect(outcome.kind).not.toBe('done')
    expect(remote('rev-parse', run.branch)).toBe(remote('rev-parse', 'main'))
    const states = await desk.database.db
      .selectFrom('request')
      .innerJoin('tool_call', 'tool_call.id', 'request.call_id')
      .select('request.state')
      .where('tool_call.run_id', '=', run.id)
      .where('tool_call.turn', '=', 2)
      .orderBy('request.number')
      .execute()
    expect(states.map(({ state }) => state)).toEqual(['approved', 'pending'])
  })

  test('that is killed in the middle is left for a person to check, and is never sent a second time', async () => {
    const run = await calls.runScriptInWorktree(commit('cut'))
    const head = git('rev-parse', run.branch)
    const call = await calls.turn(run.id, 2, push())
    const at = (name: string): string => join(desk.root, name)
    // The remote is slow, and continues after the client has gone.
    const hook = at('remote.git/hooks/pre-receive')
    const waits = `echo x >> '${at('received')}'; while [ ! -e '${at('go')}' ]; do sleep 0.05; done`
    await writeFile(hook, `#!/bin/sh\n${waits}\n`, { mode: 0o755 })
    const approved = calls.approve(run.id, 2)
    await waitUntil(() => existsSync(at('received')), { withinMs: 30_000 })
    expect(killPushes()).toBe(1)
    await writeFile(at('go'), '')
    expect((await approved).outcome.kind).toBe('wait')
    const check = await rowOf(desk.database.db, 'request', { outcome_of: call.requestId })
    expect(check.state).toBe('pending')
    expect((await desk.execute(call.id)).kind).toBe('wait')
    const isThere = (): boolean => remote('rev-parse', '--verify', '-q', run.branch) === head
    await waitUntil(isThere, { withinMs: 30_000 })
    // A person wrongly settles that it did not happen: nothing is sent again all the same.
    const finding = { ran: false, then: 'again', reason: 'looked too early' } as const
    const { caller } = desk.people.grace
    await settleOutcome(desk.api, caller, { request: check.id, ...finding })
    await desk.execute(call.id)
    expect((await readFile(at('received'), 'utf8')).trim()).toBe('x')
    expect(remote('rev-parse', run.branch)).toBe(head)
    await rm(hook)
  })

  test('of another commit is another call, whose approval does not carry over', async () => {
    git('commit', '-q', '--allow-empty', '-m', 'one')
    const run = await calls.runScriptInWorktree('true')
    const first = await calls.turn(run.id, 2, push({ branch: 'main' }))
    const before = remote('rev-parse', 'main')
    const { outcome } = await calls.approve(run.id, 2, () =>
      git('commit', '-q', '--allow-empty', '-m', 'two'),
    )
    expect([first.verdict, outcome.kind]).toEqual(['ask', 'wait'])
    expect(remote('rev-parse', 'main')).toBe(before)
    const rows = await desk.database.db
      .selectFrom('request')
      .innerJoin('request_revision', 'request_revision.request_id', 'request.id')
      .select(['request.id', 'request.state', 'request_revision.facts'])
      .where('request.call_id', '=', first.id)
      .orderBy('request.number')
      .execute()
    expect(rows.map(({ state }) => state)).toEqual(['approved', 'pending'])
    const commits = rows.map(({ facts }) => facts.detail?.['newCommit'])
    expect(commits).toEqual([git('rev-parse', 'main~1'), git('rev-parse', 'main')])
  })

  test('pushes the base too, and never over commits of the remote', async () => {
    git('commit', '-q', '--allow-empty', '-m', 'local')
    const run = await calls.runScriptInWorktree('true')
    const call = await calls.turn(run.id, 2, push({ branch: 'main' }))
    expect(call).toMatchObject({ verdict: 'ask' })
    await calls.approve(run.id, 2)
    expect(remote('rev-parse', 'main')).toBe(git('rev-parse', 'main'))
    const other = remote('commit-tree', '-m', 'other', 'main^{tree}', '-p', 'main')
    remote('update-ref', 'refs/heads/main', other)
    const refused = await calls.turn(run.id, 3, push({ branch: 'main' }))
    expect(refused).toMatchObject({
      verdict: 'error',
      text: expect.stringContaining('nothing is forced'),
    })
    remote('update-ref', 'refs/heads/main', git('rev-parse', 'main'))
  })

  test('asks nobody about an address, another branch, a program as a remote, or what the worker may not read', async () => {
    const run = await calls.runScriptInWorktree(
      `${commit('x')} && git remote add evil /tmp/evil.git`,
    )
    const inputs: [object, string][] = [
      [{ remote: join(desk.root, 'other.git') }, 'Name one of the remotes'],
      [{ remote: '--upload-pack=touch ran' }, 'Name one of the remotes'],
      [{ remote: 'evil' }, 'Name one of the remotes'],
      [{ remote: '__proto__' }, 'Name one of the remotes'],
      [{ branch: 'someone/else' }, 'can be pushed'],
      [{ branch: '--force' }, 'no plain name'],
      [{ remote: 'helper' }, 'cannot be reached'],
      [{ remote: 'away' }, 'cannot be reached'],
    ]
    for (const [at, [input, text]] of inputs.entries()) {
      const call = await calls.turn(run.id, at + 2, push(input))
      expect(call).toMatchObject({ verdict: 'error', text: expect.stringContaining(text) })
      expect(call.text).not.toContain('hunter2')
    }
    expect(existsSync(join(desk.root, 'ran'))).toBe(false)
    const secret = await calls.runScriptInWorktree(
      `git update-index --add --cacheinfo 100644,$(echo x | git hash-object -w --stdin),secret/s && git commit -qm x; git checkout -qf HEAD -- . ; true`,
    )
    expect((await calls.turn(secret.id, 2, push())).verdict).toBe('blocked')
  })

  test('has the settings of the host, and refuses those that push elsewhere than is shown', async () => {
    const run = await calls.runScriptInWorktree(commit('host'))
    const file = join(desk.root, '.gitconfig')
    await writeFile(file, `[url "${desk.root}/remote.git"]\n\tinsteadOf = ../remote.git\n`)
    const call = await calls.turn(run.id, 2, push())
    expect((await calls.readPresentation(call.requestId)).metadata).toMatchObject({
      url: join(desk.root, 'remote.git'),
    })
    await writeFile(file, `[url "${desk.root}/other.git"]\n\tpushInsteadOf = ../remote.git\n`)
    const other = await calls.runScriptInWorktree(commit('elsewhere'))
    expect((await calls.turn(other.id, 2, push())).text).toContain('another address')
    await writeFile(file, '')
  })
})

test('passes to Git only the variables that it needs to reach remotes, and no address shows a password', () => {
  const environment = { HOME: '/h', SSH_AUTH_SOCK: '/s', ANTHROPIC_API_KEY: 'k', GIT_DIR: '/x' }
  expect(remoteGitEnvironment(environment)).toEqual({ HOME: '/h', SSH_AUTH_SOCK: '/s' })
  expect(shownAddress('https://ada:p@ss@example.com/x.git')).toBe('https://example.com/x.git')
  expect(shownAddress('git@example.com:x.git')).toBe('git@example.com:x.git')
})

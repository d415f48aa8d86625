import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deskConfig, openAgentDesk, type AgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { branchCalls } from '#test/harness/fixtures/git/branch-calls.ts'
import { openGitServer, type GitServer } from '#test/harness/fixtures/git/git-server.ts'
import { gitIn, gitWorker } from '#test/harness/fixtures/git/git-workspace.ts'
import { localCertificate } from '#test/harness/fixtures/keys/local-certificate.ts'
import { testSandbox } from '../commands/commands.fixture.ts'

const [user, password] = ['ada', 'pass%word/of-ada']
let desk: AgentDesk
let calls: ReturnType<typeof branchCalls>
let server: GitServer

const git = (...words: string[]): string => gitIn(desk, 'shop', ...words)
const remote = (...words: string[]): string => gitIn(desk, 'served/remote.git', ...words)
const push = (name: string) => ({ tool: 'git_push', input: { remote: name } })
const commit = (text: string): string => `env > ${text}.txt && git add . && git commit -qm ${text}`

/** Every program's words, as anybody on the host may read them, at the moment of each push. */
const listing = `#!/bin/sh
cat /proc/[0-9]*/cmdline 2> /dev/null | tr '\\0' ' ' >> ../words
`

beforeAll(async () => {
  desk = await openAgentDesk(testSandbox)
  calls = branchCalls(desk)
  await mkdir(join(desk.root, 'shop'))
  await mkdir(join(desk.root, 'served/remote.git'), { recursive: true })
  server = await openGitServer(join(desk.root, 'served'), { user, password })
  remote('init', '-q', '--bare', '-b', 'main')
  await mkdir(join(desk.root, 'served/remote.git/hooks'), { recursive: true })
  await writeFile(join(desk.root, 'served/remote.git/hooks/pre-receive'), listing, { mode: 0o755 })
  await writeFile(join(desk.root, 'ca.pem'), localCertificate.cert)
  await writeFile(join(desk.root, 'passwords'), '')
  await writeFile(
    join(desk.root, '.gitconfig'),
    `[http]\n\tsslCAInfo = "${desk.root}/ca.pem"\n[credential]\n\thelper = "store --file='${desk.root}/passwords'"\n`,
  )
  git('init', '-q', '-b', 'main', '.')
  git('commit', '-q', '--allow-empty', '-m', 'first')
  const { origin } = server
  const named = (who: string): string => origin.replace('://', `://${who}@`)
  git('remote', 'add', 'plain', `${origin}/remote.git`)
  git('remote', 'add', 'named', `${named(`${user}:${encodeURIComponent(password)}`)}/remote.git`)
  git('remote', 'add', 'wrong', `${named('ada:not-it')}/remote.git`)
  git('remote', 'add', 'moved', `${named(`${user}:${encodeURIComponent(password)}`)}/moved.git`)
  await desk.activate({
    'countersign.yaml': `${deskConfig}workspaces:\n  shop: { root: shop, isolation: worktree, base: main }\n`,
    'workers/scribe.md': gitWorker('shop', 'shell: { default: ask }\ntools: { git_push: {} }'),
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await desk[Symbol.asyncDispose]()
})

/** The tables that hold a text, as it is or as the hex digits of its bytes. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select quote_ident(table_schema) || '.' || quote_ident(table_name) as name
    from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
  `.execute(desk.database.db)
  const hex = Buffer.from(text).toString('hex')
  const found: string[] = []
  for (const { name } of rows) {
    const { rows: hits } = await sql`
      select from ${sql.raw(name)} as t
      where strpos(t::text, ${text}) > 0 or strpos(t::text, ${hex}) > 0 limit 1
    `.execute(desk.database.db)
    if (hits.length > 0) found.push(name)
  }
  return found
}

const letPasswordIn = (): Promise<void> => {
  const address = server.origin.replace('://', `://${user}:${encodeURIComponent(password)}@`)
  return writeFile(join(desk.root, 'passwords'), `${address}\n`)
}

// Rules: product.md 36
describe.skipIf(!testSandbox.works)('git_push over HTTPS', () => {
  test.each(['plain', 'named'])(
    'pushes to the remote %s with the credentials of the host, which appear in no run, argument of a program or row',
    async (name) => {
      if (name === 'plain') await letPasswordIn()
      const run = await calls.runScriptInWorktree(commit(name))
      const head = git('rev-parse', run.branch)
      const call = await calls.turn(run.id, 2, push(name))
      const { content, metadata } = await calls.readPresentation(call.requestId)
      expect(metadata).toMatchObject({ remote: name, url: `${server.origin}/remote.git` })
      expect((await calls.approve(run.id, 2)).call?.text).toContain(`is at ${head}`)
      expect(remote('rev-parse', run.branch)).toBe(head)
      const words = await readFile(join(desk.root, 'served/words'), 'utf8')
      expect(words).toContain('git-remote-https')
      for (const secret of [password, encodeURIComponent(password)]) {
        expect(words).not.toContain(secret)
        expect(content).not.toContain(secret)
        expect(await tablesWith(secret)).toEqual([])
      }
      // A hash of the whole address would let others try passwords.
      const address = git('remote', 'get-url', name)
      const hash = createHash('sha256').update(address).digest('hex')
      if (name === 'named') expect(await tablesWith(hash)).toEqual([])
      expect(await tablesWith(head)).not.toEqual([])
      await rm(join(desk.root, 'served/words'))
      await writeFile(join(desk.root, 'passwords'), '')
    },
  )

  test('asks nobody where the password is wrong or missing, and repeats it to nobody, nor to the model', async () => {
    const run = await calls.runScriptInWorktree(commit('refused'))
    for (const [at, name] of ['plain', 'wrong'].entries()) {
      const before = server.refusalCount()
      const call = await calls.turn(run.id, at + 2, push(name))
      expect(call).toMatchObject({
        verdict: 'error',
        text: expect.stringMatching(/cannot be reached: .*(could not read|Authentication failed)/),
      })
      expect(call.text).not.toContain('not-it')
      expect(server.refusalCount()).toBeGreaterThan(before)
    }
    expect(existsSync(join(desk.root, 'served/words'))).toBe(false)
  })

  test('follows no remote to another address than was shown', async () => {
    const run = await calls.runScriptInWorktree(commit('moved'))
    const call = await calls.turn(run.id, 2, push('moved'))
    expect(call).toMatchObject({
      verdict: 'error',
      text: expect.stringContaining('cannot be reached'),
    })
  })

  test('asks again, and pushes nothing, once the host sends pushes to another address', async () => {
    await letPasswordIn()
    const run = await calls.runScriptInWorktree(commit('elsewhere'))
    await calls.turn(run.id, 2, push('plain'))
    await mkdir(join(desk.root, 'served/other.git'))
    gitIn(desk, 'served/other.git', 'init', '-q', '--bare')
    const settings = await readFile(join(desk.root, '.gitconfig'), 'utf8')
    const rewriting = `[url "${server.origin}/other.git"]\n\tinsteadOf = ${server.origin}/remote.git\n`
    const { outcome } = await calls.approve(run.id, 2, () =>
      writeFile(join(desk.root, '.gitconfig'), settings + rewriting),
    )
    await writeFile(join(desk.root, '.gitconfig'), settings)
    expect(outcome.kind).toBe('wait')
    expect(remote('branch', '--list', run.branch)).toBe('')
    expect(gitIn(desk, 'served/other.git', 'for-each-ref')).toBe('')
  })
})

import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { getText } from '#store/content/content.ts'
import { deskConfig, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { gitIn, gitWorker, treeOf } from '#test/harness/fixtures/git/git-workspace.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { beginChanging } from '#sandbox/worktrees/files-record.ts'
import { testSandbox } from '#tools/commands/commands.fixture.ts'
import { startRun } from '../starting/start-run.ts'
import { readChanges } from './read-changes.ts'
import { writeCall } from '#test/harness/fixtures/runs/file-calls.ts'

const patient = { timeout: 120_000 }
const desk = disposeAfterTests(await openAgentDesk(testSandbox))

beforeAll(async () => {
  await mkdir(join(desk.root, 'shop/secret'), { recursive: true })
  gitIn(desk, 'shop', 'init', '-q', '-b', 'main', '.')
  const files = {
    'a.txt': 'one\ntwo\n',
    'gone.txt': 'g\n',
    'old name.txt': 'a file that moves\n',
    '.gitignore': 'build\n',
    '.env': 'TOKEN=example\n',
    '.gitmodules': '[submodule "lib"]\n\tpath = lib\n\turl = ./sub\n',
    '.gitattributes': '*.run filter=run\n*.bat eol=crlf\n',
    'x.bat': 'one\ntwo\n',
    'y.bat': 'one\n',
    'unix.txt': 'one\ntwo\n',
    'x.run': 'run\n',
  }
  for (const [at, text] of Object.entries(files)) await writeFile(join(desk.root, 'shop', at), text)
  // A submodule that the person's own folder has, and a worktree has not.
  gitIn(desk, 'shop', 'init', '-q', 'lib')
  await writeFile(join(desk.root, 'shop/lib/l.txt'), 'lib\n')
  gitIn(desk, 'shop/lib', 'add', '-A')
  gitIn(desk, 'shop/lib', 'commit', '-qm', 'lib')
  gitIn(desk, 'shop', 'add', '-A', '-f')
  gitIn(desk, 'shop', 'commit', '-qm', 'first')
  await desk.activate({
    'countersign.yaml': `${deskConfig}workspaces:\n  shop: { root: shop, isolation: worktree, base: main }\n`,
    'workers/scribe.md': gitWorker('shop', 'shell: { default: ask }\ntools: { merge_branch: {} }'),
  })
}, 120_000)

const shell = (command: string) => ({ tool: 'shell', input: { command } })

async function start(): Promise<string> {
  const input = { worker: 'scribe', input: 'Go', workspace: 'shop' }
  return (await startRun(desk.api, desk.people.ada.caller, input)).id
}

async function approve(requestId: string): Promise<void> {
  const { presentation_hash: hash } = await rowOf(desk.database.db, 'request_revision', {
    request_id: requestId,
  })
  const presentation = JSON.parse(await getText(desk.database.db, hash)) as { digest: string }
  const how = { reason: 'It is needed', seen: presentation.digest }
  await desk.decide(desk.people.grace, requestId, how)
}

/** What calls of one turn became; Grace approves what asks. */
async function took(
  runId: string,
  turn: number,
  ...calls: { tool: string; input: Record<string, string> }[]
) {
  desk.say({ calls })
  await desk.turn(runId, turn)
  for (const call of await desk.calls(runId, turn)) {
    if (call.verdict === 'ask') await approve(call.requestId)
    if (call.result === null) await desk.execute(call.id)
  }
  return desk.calls(runId, turn)
}

async function changed(runId: string) {
  const { items, more, total, unknown } = await readChanges(desk.api, desk.people.ada.caller, {
    runId,
  })
  const lines = items.map(({ path, change, from, added, removed, calls }) =>
    [
      `${change} ${from === null ? '' : `${from} > `}${path} +${added} -${removed}`,
      ...calls.map(({ turn, tool }) => `${turn} ${tool}`),
    ].join(', '),
  )
  return { items, lines, more, total, unknown }
}

// Rules: product.md 28, 35
describe.skipIf(!testSandbox.works)(
  'the changes of a command in the worktree of its run',
  patient,
  () => {
    test('are listed file by file with lines and the call, together with those of file tools', async () => {
      const runId = await start()
      const [edit] = await took(
        runId,
        1,
        shell(
          'echo three >> a.txt; rm gone.txt; mv "old name.txt" "new name.txt"; mkdir build; echo n > build/ignored; echo f > fresh.txt; chmod +x .gitignore',
        ),
      )
      expect(edit?.text).toContain('Exit code 0')
      const first = await changed(runId)
      expect(first.lines).toEqual([
        'modified a.txt +1 -0, 1 shell',
        'added fresh.txt +1 -0, 1 shell',
        'deleted gone.txt +0 -1, 1 shell',
        'moved old name.txt > new name.txt +0 -0, 1 shell',
      ])
      expect(first.items[0]).toMatchObject({
        before: hashBytes('one\ntwo\n'),
        after: hashBytes('one\ntwo\nthree\n'),
        requests: [expect.any(Number)],
        calls: [{ id: edit?.id, runId, position: 1 }],
      })
      expect(first).toMatchObject({ more: 0, unknown: { commands: 0, calls: 0 } })
      // A commit, a file tool, and a command that only reads: none is taken for another's author.
      await took(
        runId,
        2,
        writeCall('a.txt', 'one\ntwo\nthree\nfour\n'),
        shell('cat a.txt; git status'),
      )
      await took(runId, 3, shell('git add -A; git commit -qm two; git checkout -q HEAD~1 -- a.txt'))
      const last = await changed(runId)
      expect(last.lines).toEqual([
        'added fresh.txt +1 -0, 1 shell',
        'deleted gone.txt +0 -1, 1 shell',
        'moved old name.txt > new name.txt +0 -0, 1 shell',
      ])
      expect(last.unknown).toEqual({ commands: 0, calls: 0 })
    })

    test('are listed once when the branch is merged: a merge only applies changes of other calls', async () => {
      const runId = await start()
      await took(runId, 1, shell('echo merged > merged.txt; git add -A; git commit -qm merged'))
      const before = await changed(runId)
      const merge = { tool: 'merge_branch', input: { message: 'Merge it' } }
      const [call] = await took(runId, 2, merge)
      expect(call?.result).toBe('output')
      expect(await changed(runId)).toEqual(before)
      expect(before.unknown).toEqual({ commands: 0, calls: 0 })
    })

    test('are counted for files in the folder of a submodule, whose own files in the base stay at a merge', async () => {
      const runId = await start()
      await took(runId, 1, shell('mkdir lib/deep; echo l > lib/deep/new.txt'))
      const first = await changed(runId)
      expect(first.lines).toEqual([])
      expect(first.more).toBeGreaterThan(0)
      await took(
        runId,
        2,
        shell('echo beside > beside.txt; git add beside.txt; git commit -qm beside'),
      )
      const second = await changed(runId)
      expect(second.lines).toEqual(['added beside.txt +1 -0, 2 shell'])
      expect([second.more, second.unknown]).toEqual([first.more, { commands: 0, calls: 0 }])
      // A command cannot fill the folder: what Git writes for that is protected.
      const update =
        'git init -q sub; git -c protocol.file.allow=always -c submodule.lib.url=./sub submodule update'
      const [filled] = await took(runId, 3, shell(update))
      expect(filled?.text).toContain('it made ".git/modules", a protected name, which was removed')
      const [call] = await took(runId, 4, {
        tool: 'merge_branch',
        input: { message: 'Merge it' },
      })
      expect(call?.text).toContain('is merged into main')
      expect(existsSync(join(desk.root, 'shop/lib/l.txt'))).toBe(true)
      expect(gitIn(desk, 'shop', 'status', '--porcelain')).toBe('')
    })

    test('do not include changes made before it began, nor those of another run', async () => {
      const [runId, other] = [await start(), await start()]
      await took(runId, 1, shell('echo mine > mine.txt'))
      await took(other, 1, shell('echo theirs > theirs.txt'))
      // Somebody changes the worktree while no call is at work.
      writeFileSync(join(treeOf(desk, runId), 'stray.txt'), 'stray\n')
      writeFileSync(join(treeOf(desk, runId), 'mine.txt'), 'changed by hand\n')
      await took(runId, 2, shell('echo two > second.txt'))
      expect((await changed(runId)).lines).toContain('added second.txt +1 -0, 2 shell')
      expect((await changed(runId)).lines.join('\n')).not.toMatch(/stray|theirs/)
      expect((await changed(other)).lines).toEqual(['added theirs.txt +1 -0, 1 shell'])
    })

    test('are counted as unknown after a command whose end was not recorded, and known again afterwards', async () => {
      const runId = await start()
      await took(runId, 1, shell('true'))
      // The mark of a command that was killed before its effects were recorded.
      writeFileSync(join(treeOf(desk, runId), '../begun'), 'killed')
      await took(runId, 2, shell('rm gone.txt'))
      expect(await changed(runId)).toMatchObject({ lines: [], unknown: { commands: 1, calls: 0 } })
      await took(runId, 3, shell('echo x > x.txt'))
      expect(await changed(runId)).toMatchObject({
        lines: ['added x.txt +1 -0, 3 shell'],
        unknown: { commands: 1, calls: 0 },
      })
    })

    test('are attributed to no command while another call runs in the same worktree', async () => {
      const runId = await start()
      const call = await proposeCall(
        desk,
        runId,
        1,
        shell('until [ -e go ]; do sleep 0.1; done; echo x > x.txt'),
      )
      await approve(call.requestId)
      const executing = desk.execute(call.id)
      const folder = join(treeOf(desk, runId), '..')
      await expect.poll(() => existsSync(join(folder, 'begun'))).toBe(true)
      const other = await beginChanging(folder)
      writeFileSync(join(treeOf(desk, runId), 'go'), '')
      await executing
      expect(await changed(runId)).toMatchObject({ lines: [], unknown: { commands: 1, calls: 0 } })
      expect(await other.isAlone()).toBe(false)
    })

    test('are not hidden by the settings of Git, run no filter, and list no covered file', async () => {
      const runId = await start()
      const tree = treeOf(desk, runId)
      await took(runId, 1, shell('git update-index --assume-unchanged a.txt; echo x > a.txt'))
      execFileSync('git', ['config', 'filter.run.clean', `touch ${desk.root}/ran; cat`], {
        cwd: tree,
      })
      writeFileSync(join(tree, '.env'), 'TOKEN=other\n')
      await took(runId, 2, shell('echo changed > x.run; cp x.run copy.pem'))
      expect((await changed(runId)).lines).toEqual([
        'modified a.txt +1 -2, 1 shell',
        'modified x.run +1 -1, 2 shell',
      ])
      expect(existsSync(join(desk.root, 'ran'))).toBe(false)
    })

    test('have lines counted from the bytes that Git wrote into the worktree, whose line ends differ from the commit', async () => {
      const runId = await start()
      const change = String.raw`printf 'three\r\n' >> x.bat; sed -i 's/$/\r/' unix.txt; sed -i s/one/1/ y.bat`
      await took(runId, 1, shell(change))
      const first = await changed(runId)
      expect(first.lines).toEqual([
        'modified unix.txt +2 -2, 1 shell',
        'modified x.bat +1 -0, 1 shell',
        'modified y.bat +1 -1, 1 shell',
      ])
      expect(first.items.find(({ path }) => path === 'x.bat')?.before).toBe(
        hashBytes('one\r\ntwo\r\n'),
      )
      await took(runId, 2, shell(String.raw`sed -i s/1/one/ y.bat`))
      expect((await changed(runId)).lines.join('\n')).not.toContain('y.bat')
    })

    test('are limited: names that no tool accepts, links, repositories and files beyond the limit are only counted', async () => {
      const runId = await start()
      await took(
        runId,
        1,
        shell(
          `printf x > "$(printf 'new\\nline')"; printf x > "$(printf '\\377')"; ln -s /etc/passwd link; git init -q nested; echo n > nested/n.txt; mkdir many; for i in $(seq 1200); do echo $i > many/$i; done`,
        ),
      )
      const listed = await changed(runId)
      expect(listed.lines[0]).toBe('added many/1 +1 -0, 1 shell')
      expect({ total: listed.total, more: listed.more }).toEqual({ total: 1000, more: 204 })
      await took(runId, 2, shell('rm -r many link'))
      expect((await changed(runId)).lines).toEqual([])
    })
  },
)

import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { findSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { FaultWorld } from '../faults/fault-world.ts'
import { CommandLine } from './command-line.ts'
import { gitAsAda } from '../harness/programs/git-as-ada.ts'

// A whole service, and each command line a process of its own.
vi.setConfig({ testTimeout: 300_000 })
const sandbox = await findSandbox('bwrap')
/** A package of the registry, as its authors publish it. */
const published = fileURLToPath(new URL('../../node_modules/canonicalize', import.meta.url))

/** The script of the model in every run: only the time makes two runs different. */
const script = {
  turns: [
    {
      text: 'I read, and change what two of us change.',
      calls: [
        { tool: 'read_file', input: { path: 'package.json' } },
        { tool: 'shell', input: { command: 'date +%s%N >> README.md' } },
      ],
    },
    { text: 'I commit.', calls: [{ tool: 'shell', input: { command: 'git commit -qam Stamp' } }] },
    { text: 'I merge.', calls: [{ tool: 'merge_branch', input: { message: 'Stamp it' } }] },
    { text: 'Done.' },
  ],
}

/** A repository with a commit, in which `init` was called and nothing else was done. */
async function prepare(folder: string): Promise<void> {
  await cp(published, folder, { recursive: true })
  await gitAsAda(folder, 'init', '-q', '-b', 'main')
  await gitAsAda(folder, 'add', '-A')
  await gitAsAda(folder, 'commit', '-qm', 'Published')
  await new CommandLine(folder).ok('init')
  await writeFile(join(folder, 'scripts/assistant.yaml'), JSON.stringify(script))
}

// Rules: product.md 35
describe.skipIf(!sandbox.works)('what init writes for a repository', () => {
  test('is started as it is: two runs change one file at once, commit, the first is merged, and the second discarded', async () => {
    await using world = await FaultWorld.start({}, { env: {}, prepare })
    const { folder } = world.installation
    const git = (...words: string[]): Promise<string> => gitAsAda(folder, ...words)
    const before = await git('rev-parse', 'main')
    const readme = await readFile(join(folder, 'README.md'), 'utf8')
    const runs = await Promise.all(
      [1, 2].map(() => world.startRun('assistant', { conversation: false }, 'you')),
    )
    const approve = async (runId: string): Promise<void> => {
      const { seen, ...request } = await world.onlyWaiting(runId)
      const answer = await world.decide(request, { seen }, { who: 'colleague' })
      expect(answer.body).toMatchObject({ state: 'approved' })
    }
    // Each step of both, before the next one of either.
    for (const _step of ['change', 'commit']) await Promise.all(runs.map(approve))
    const [first = '', second = ''] = runs
    await Promise.all(runs.map((id) => world.waiting(id)))
    expect(await git('rev-parse', 'main')).toBe(before)
    expect(await readFile(join(folder, 'README.md'), 'utf8')).toBe(readme)
    await approve(first)
    await world.untilRun(first, 'completed')
    expect(await git('log', '--first-parent', '--format=%s')).toBe('Stamp it\nPublished')
    const merged = await readFile(join(folder, 'README.md'), 'utf8')
    expect(merged).toMatch(/\d{19}\n$/)
    expect(await git('status', '--porcelain', '--untracked-files=no')).toBe('')

    // The base has moved: the second is shown the new one, and fails by the file in conflict.
    await approve(second)
    await approve(second)
    await world.untilRun(second, 'completed')
    expect((await world.told(second, 'you')).at(-1)).toContain('both change README.md')
    expect(await readFile(join(folder, 'README.md'), 'utf8')).toBe(merged)
    expect(await git('branch', '--list', 'countersign/2-assistant')).not.toBe('')

    // What is not merged is kept until somebody says that it is not wanted.
    const cli = new CommandLine(folder)
    const you = ['--as', 'you@example.com']
    const unknown = await cli.run('runs', 'discard', '999', ...you)
    expect([unknown.code, unknown.out]).toEqual([1, ''])
    expect(await cli.ok('runs', 'discard', '2', ...you)).toBe(
      'the worktree of run #2 is discarded, and its branch countersign/2-assistant\n',
    )
    const isGone = async () => (await git('branch', '--list', 'countersign/2-assistant')) === ''
    await waitUntil(isGone)
  })
})

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expect, test, vi } from 'vitest'
import { Installation } from '../harness/installation/installation.ts'
import { newFolder } from '../harness/new-folder.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { CommandLine } from './command-line.ts'

// Each step is a process of its own; a busy machine takes seconds for one.
vi.setConfig({ testTimeout: 300_000 })

/** What `countersign init` makes of a folder with a Node project and documents in it. */
async function initialised(): Promise<Record<string, string>> {
  const folder = newFolder('countersign init ')
  await mkdir(join(folder, 'docs'))
  await writeFile(join(folder, 'docs', 'plan.md'), 'Plan\n')
  await writeFile(join(folder, 'package.json'), '{"scripts": {"test": "true"}}\n')
  await new CommandLine(folder).ok('init')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
  const texts = await Promise.all(paths.map((path) => readFile(join(folder, path), 'utf8')))
  return Object.fromEntries(paths.map((path, index) => [path, texts[index] ?? '']))
}

test('what init writes is started as it is: its worker runs, asks the colleague, and writes what was approved', async () => {
  await using installation = await Installation.start(await initialised())
  const cli = new CommandLine(installation.folder)
  const you = ['--as', 'you@example.com']
  const colleague = ['--as', 'colleague@example.com']
  const started = await cli.run('run', 'assistant', 'greet the team', '--watch', ...you)
  expect(started).toMatchObject({ code: 3, out: expect.stringContaining('HELLO.md') })
  const digest = (await cli.ok('requests', 'show', '1', '--digest', ...colleague)).trim()
  await cli.ok('approve', '1', '--digest', digest, ...colleague)
  const written = (): Promise<string> =>
    readFile(join(installation.folder, 'HELLO.md'), 'utf8').catch(() => '')
  await waitUntil(async () => (await written()) !== '')
  expect(await written()).toBe('Hello from Countersign.\n')
  const remove = JSON.stringify({ path: 'docs/plan.md' })
  const blocked = await cli.json('explain', 'assistant', 'delete_file', remove, ...you)
  expect(blocked).toMatchObject({
    verdict: 'blocked',
    reason: 'Documents are kept',
  })
})

import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Installation } from '../harness/installation/installation.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { CommandLine } from './command-line.ts'

let installation: Installation
let cli: CommandLine
const ada = ['--as', 'ada@example.com']
const grace = ['--as', 'grace@example.com']
const linus = ['--as', 'linus@example.com']

// Each step is a process of its own; a busy machine takes seconds for one.
vi.setConfig({ testTimeout: 240_000 })

beforeAll(async () => {
  const folder = join(import.meta.dirname, '..', '..', 'examples', 'delegation')
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  installation = await Installation.start(
    Object.fromEntries(
      files.map((file) => [file.slice(folder.length + 1), readFileSync(file, 'utf8')]),
    ),
  )
  cli = new CommandLine(installation.folder)
}, 240_000)
afterAll(() => installation?.[Symbol.asyncDispose](), 240_000)

interface Item {
  readonly number: number
  readonly kind: string
  readonly tool: string
  readonly title: string
  readonly digest: string
  readonly lineage: readonly { readonly worker: string }[]
}

/** What is pending, as soon as there are so many. */
async function pending(many: number): Promise<readonly Item[]> {
  let items: readonly Item[] = []
  await waitUntil(
    async () => {
      items = (await cli.json<{ items: Item[] }>('requests', 'ls', ...linus)).items
      return items.length === many || `${items.length} requests are pending`
    },
    { withinMs: 180_000, everyMs: 500 },
  )
  return items
}

async function approve({ number, digest }: Item): Promise<void> {
  await cli.ok('approve', String(number), '--digest', digest, ...linus)
}

// Rules: product.md 17, 23
test('the example of delegation plays: a file with the task, a question, a shared file, and a run below that asks for itself', async () => {
  const start = ['run', 'release-notes', 'prepare the notes of 1.2', ...ada]
  const refused = await cli.run(...start, '--attach', 'notes/none.md')
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('does not exist')])
  const { id } = await cli.json<{ id: string }>(...start, '--attach', 'CHANGELOG.md')
  const [question] = await pending(1)
  await cli.ok('answer', String(question?.number), 'customers', ...grace)

  const requests = await pending(2)
  expect(requests.map(({ kind }) => kind).toSorted()).toEqual(['attachment', 'tool_call'])
  const [delegation] = requests.filter(
    ({ tool, kind }) => kind === 'tool_call' && tool === 'call_worker',
  )
  if (delegation === undefined) expect.fail('no delegation')
  // Grace answered the run's question: she is behind what it asks for since.
  const behind = await cli.run(
    'approve',
    String(delegation.number),
    '--digest',
    delegation.digest,
    ...grace,
  )
  expect([behind.code, behind.err]).toEqual([1, expect.stringMatching(/answered/)])
  for (const item of requests) await approve(item)

  const [edit] = await pending(1)
  if (edit === undefined) expect.fail('nothing is asked below')
  expect(edit.lineage.map(({ worker }) => worker)).toEqual(['release-notes', 'proof-reader'])
  await approve(edit)
  await waitUntil(
    async () => {
      const { state } = await cli.json<{ state: string }>('runs', 'show', id, ...ada)
      return state === 'completed' || state
    },
    { withinMs: 180_000, everyMs: 500 },
  )
  expect(await readFile(join(installation.folder, 'notes', '1.2.md'), 'utf8')).toContain('receive')
  const output = await cli.ok('runs', 'show', id, ...ada)
  expect(output).toContain('attached CHANGELOG.md (')
  expect(output).toMatch(/started run \S+ of proof-reader, completed/)
  expect(output).toContain('I proposed one correction')
})

import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fixtureFiles } from '#test/harness/fixtures/project.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts'
import { openCommitCutter } from '#test/harness/outages/cut-commits.ts'
import { Interruptible } from '#test/harness/outages/interruptible.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { connectDatabase, type Db, type Tx } from '#store/database.ts'
import { createPolicyReader } from '#services/policy/activations/policy-reader.ts'
import { putProjectIntoForce } from './put-project-into-force.ts'
import type { ToolFileProblem } from '#tools/custom/tool-protocol.ts'
import { trailTypes } from '#test/harness/fixtures/trail.ts'

const worker = 'workers/scribe.md'
const text = fixtureFiles.texts.get(worker) ?? ''
const config = fixtureFiles.texts.get('countersign.yaml') ?? ''
const withinMs = 90_000

let folder: string
let database: TestDatabase
let undo: AsyncDisposableStack
/** problems that were logged, in order */
let loggedProblems: string[]
/** what a person at the terminal read, in order */
let sentences: string[]
/** how many listeners to SIGHUP there were at each sentence */
let listenersAt: number[]
/** what of the tool files the Temporal worker cannot load */
let toolProblems: readonly ToolFileProblem[]
/** the worker's description in the version in force */
let inForce: () => Promise<string>

/** In one step: what is half made here is exactly what the test says. */
function put(path: string, bytes: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, 'being-written'), bytes)
  renameSync(join(folder, 'being-written'), join(folder, path))
}

/** The worker's file with another description. */
function described(as: string): string {
  return text.replace(/^description: .*$/m, `description: ${as}`)
}

beforeEach(async () => {
  folder = newFolder('watched project ')
  for (const [path, bytes] of fixtureFiles.texts) put(path, bytes)
  put(worker, described('first'))
  database = await createTestDatabase()
  loggedProblems = []
  sentences = []
  listenersAt = []
  toolProblems = []
  undo = new AsyncDisposableStack()
  await begin(database.db)
})
afterEach(async () => {
  await undo.disposeAsync()
  await database[Symbol.asyncDispose]()
})

/** Ends the watch of the folder as it was, and begins another. */
async function beginAgain(): Promise<void> {
  await undo.disposeAsync()
  undo = new AsyncDisposableStack()
  await begin(database.db)
}

/** Puts the folder in force and watches it, as an API process with this database does. */
async function begin(db: Db): Promise<void> {
  const { ctx: plain } = await createTestService(db)
  const policies = createPolicyReader(plain)
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (fields: Record<string, unknown>) => void loggedProblems.push(JSON.stringify(fields)),
  }
  inForce = async () => (await policies.inForce()).workers.get('scribe')?.description ?? ''
  const project = { projectDir: folder, isProduction: false }
  await putProjectIntoForce({ ...plain, policies, log }, project, undo, {
    say(sentence) {
      sentences.push(sentence)
      listenersAt.push(process.listenerCount('SIGHUP'))
    },
    toolProblems: async () => toolProblems,
  })
}

/** Events of the trail about versions, in order, without the first. */
async function trail(): Promise<string[]> {
  const types = await trailTypes(database.db, {})
  return types.filter((type) => type.startsWith('policy.')).slice(1)
}

async function untilTold(times: number): Promise<void> {
  await waitUntil(() => loggedProblems.length >= times, { withinMs })
}

async function untilInForce(description: string): Promise<void> {
  await waitUntil(
    async () => {
      const is = await inForce()
      return is === description || `${is} is in force, not ${description}`
    },
    { withinMs },
  )
}

describe('a change that is seen half made', () => {
  test('leaves the last valid version in force and is logged once; the complete file then takes force once', async () => {
    const whole = described('second')
    const half = (text.indexOf('---', 4) / 2) | 0
    put(worker, whole.slice(0, half))
    await untilTold(1)
    expect(loggedProblems).toEqual([expect.stringContaining(worker)])
    expect(await inForce()).toBe('first')
    put('tools/beside.ts', 'export default 1\n')
    put(worker, whole.slice(0, half + 1))
    process.emit('SIGHUP')
    put('scripts/scribe.yaml', 'turns: []\n')
    put(worker, whole)
    await untilInForce('second')
    expect(loggedProblems).toHaveLength(1)
    expect(await trail()).toEqual(['policy.rejected', 'policy.activated'])
  })

  test('is never seen when it is made beside the file, which a rename replaces, as many editors save', async () => {
    const whole = described('second')
    put('workers/.scribe.md.swp', whole.slice(0, 20))
    put(`${worker}~`, text)
    put('workers/.scribe.md.swp', whole)
    renameSync(join(folder, 'workers/.scribe.md.swp'), join(folder, worker))
    await untilInForce('second')
    rmSync(join(folder, `${worker}~`))
    put(worker, described('third'))
    await untilInForce('third')
    expect(loggedProblems).toEqual([])
    expect(await trail()).toEqual(['policy.activated', 'policy.activated'])
  })

  test('holds the other files back too while countersign.yaml is invalid', async () => {
    put('countersign.yaml', `${config}nonsense: 1\n`)
    await untilTold(1)
    put(worker, described('second'))
    put('countersign.yaml', `${config}nonsense: 2\nmore: 3\n`)
    await untilTold(2)
    expect(await inForce()).toBe('first')
    expect(await trail()).toEqual(['policy.rejected', 'policy.rejected'])
    put('countersign.yaml', `${config}# valid again\n`)
    await untilInForce('second')
    expect((await trail()).slice(2)).toEqual(['policy.activated'])
    expect(loggedProblems).toEqual([
      expect.stringContaining('nonsense'),
      expect.stringContaining('more'),
    ])
  })
})

test('a person who saves a change reads that it is in force, or each problem with its line', async () => {
  put('countersign.yaml', `${config}nonsense: 1\n`)
  await waitUntil(() => sentences.length > 0, { withinMs })
  const line = config.split('\n').length
  expect(sentences).toHaveLength(1)
  expect(sentences[0]).toContain(
    `the last valid version stays in force:\ncountersign.yaml:${line}: unknown key "nonsense"`,
  )
  put('countersign.yaml', `${config}# valid again\n`)
  put(worker, described('second'))
  await untilInForce('second')
  await waitUntil(() => sentences.length > 1, { withinMs })
  expect(sentences.at(-1)).toMatch(/^the changed project is in force/)
})

test('a person who saves a tool file that does not load reads which one, and that its calls are refused', async () => {
  const problem = 'SyntaxError: Unexpected end of input'
  toolProblems = [
    { file: 'tools/post.ts', line: 2, problem, changed: false },
    { file: 'tools/saved-since.ts', line: null, problem: 'It has changed.', changed: true },
  ]
  put('tools/post.ts', 'export default {\n')
  await waitUntil(() => sentences.length > 1, { withinMs })
  expect(sentences).toEqual([
    expect.stringMatching(/^the changed project is in force/),
    `1 tool file of the version in force does not load: calls of its tools are refused until it is corrected\ntools/post.ts:2: ${problem}`,
  ])
  // Nothing is loaded again for a change of something else.
  put(worker, described('second'))
  await untilInForce('second')
  await waitUntil(() => sentences.length > 2, { withinMs })
  toolProblems = []
  put('tools/post.ts', 'export default {}\n')
  await waitUntil(() => sentences.length > 3, { withinMs })
  expect(sentences.slice(2)).toEqual([
    expect.stringMatching(/^the changed project is in force/),
    expect.stringMatching(/^the changed project is in force/),
  ])
})

test('the tool files of the start, of which the Temporal worker has spoken, are spoken of again only when they change', async () => {
  put('tools/post.ts', 'export default {\n')
  await beginAgain()
  sentences = []
  toolProblems = [{ file: 'tools/post.ts', line: 2, problem: 'It ends.', changed: false }]
  put(worker, described('second'))
  await waitUntil(() => sentences.length > 0, { withinMs })
  put('tools/post.ts', 'export default [\n')
  await waitUntil(() => sentences.length > 2, { withinMs })
  expect(sentences).toEqual([
    expect.stringMatching(/^the changed project is in force/),
    expect.stringMatching(/^the changed project is in force/),
    expect.stringMatching(/^1 tool file of the version in force does not load/),
  ])
})

test('each kind of error of the watch is said once, when SIGHUP already reads the folder again', async () => {
  await undo.disposeAsync()
  const listeners = process.listenerCount('SIGHUP')
  symlinkSync('yarn.lock', join(folder, 'yarn.lock'))
  symlinkSync('pnpm-lock.yaml', join(folder, 'pnpm-lock.yaml'))
  symlinkSync('x'.repeat(300), join(folder, 'bun.lock'))
  undo = new AsyncDisposableStack()
  await begin(database.db)
  await waitUntil(() => sentences.length > 1, { withinMs })
  expect(sentences.toSorted()).toEqual([
    expect.stringMatching(/^changes of the project may go unnoticed \(Error \(ELOOP\)\): /),
    expect.stringMatching(/^changes of the project may go unnoticed \(Error \(ENAMETOOLONG\)\): /),
  ])
  expect(listenersAt).toEqual([listeners + 1, listeners + 1])
})

test('a person who undoes a mistake reads that the project is valid again', async () => {
  put('countersign.yaml', `${config}nonsense: 1\n`)
  await waitUntil(() => sentences.length > 0, { withinMs })
  put('countersign.yaml', config)
  await waitUntil(() => sentences.length > 1, { withinMs })
  expect(sentences[1]).toBe('the project is valid again, and the version in force is the same')
})

test('the same mistake is logged again after a valid version in between', async () => {
  put('countersign.yaml', `${config}nonsense: 1\n`)
  await untilTold(1)
  put('countersign.yaml', config.concat('# other\n'))
  await waitUntil(async () => (await trail()).includes('policy.activated'), { withinMs })
  put('countersign.yaml', `${config}nonsense: 1\n`)
  await untilTold(2)
  expect(await trail()).toEqual(['policy.rejected', 'policy.activated', 'policy.rejected'])
})

describe('a change that is saved', () => {
  /** Ends the watch of the others, and begins one whose database is at another address. */
  async function beginThrough(url: string): Promise<void> {
    await undo.disposeAsync()
    undo = new AsyncDisposableStack()
    const db = connectDatabase({ url, poolSize: 4, applicationName: 'cut' })
    undo.defer(() => db.destroy())
    await begin(db)
  }

  test('while Postgres is away takes force once it is back, without another change', async () => {
    const url = new URL(database.url)
    await using way = await Interruptible.to(url.host)
    url.host = way.address
    await beginThrough(url.href)
    await way.interrupt()
    put(worker, described('second'))
    await untilTold(1)
    expect(sentences[0]).toMatch(/^the changed project could not be activated, and is tried again,/)
    await way.restore()
    await untilInForce('second')
    await waitUntil(() => sentences.at(-1)?.startsWith('the changed project is in force') === true)
    expect(await trail()).toEqual(['policy.activated'])
    await undo.disposeAsync()
  })

  test('while the one before is being stored takes force after it', async () => {
    /** happens before the next transaction */
    let act: (() => Promise<void>) | null = null
    const db = new Proxy(database.db, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target)
        if (name !== 'transaction')
          return typeof member === 'function' ? member.bind(target) : member
        return () => ({
          execute: async (work: (tx: Tx) => Promise<unknown>) => {
            const next = act
            act = null
            await next?.()
            return target.transaction().execute(work)
          },
        })
      },
    })
    await undo.disposeAsync()
    undo = new AsyncDisposableStack()
    await begin(db)
    act = async () => {
      put(worker, described('third'))
      process.emit('SIGHUP')
      // It would be stored now if nothing kept it waiting.
      await waitUntil(async () => (await inForce()) === 'third', { withinMs: 1000 }).catch(
        () => undefined,
      )
    }
    put(worker, described('second'))
    await waitUntil(async () => (await trail()).length === 2, { withinMs })
    expect(await inForce()).toBe('third')
    await undo.disposeAsync()
  })

  test('and whose activation is stored without an answer takes force once, and the person reads that it did', async () => {
    await using cutter = await openCommitCutter(database.url)
    await beginThrough(cutter.url)
    const cut = cutter.cutNext('recorded')
    put(worker, described('second'))
    await cut
    await waitUntil(() => sentences.at(-1) === 'the project in this folder is in force')
    expect(await inForce()).toBe('second')
    expect(await trail()).toEqual(['policy.activated'])
    await undo.disposeAsync()
  })
})

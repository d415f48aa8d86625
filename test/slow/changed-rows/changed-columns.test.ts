import { expect, test } from 'vitest'
import { Problem } from '#domain/problem.ts'
import { createPolicyReader } from '#services/policy/activations/policy-reader.ts'
import { judgeCall } from '#services/engine/judging/judge-call.ts'
import { TranscriptCache } from '#services/transcript/transcript-cache.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { openUndoneDatabase } from './undone-database.ts'
import { createTestDatabase } from '../../harness/postgres.ts'
import { seededChoices } from '../../shell/seeded.ts'
import { seedOfRun } from '../seed-of-run.ts'
import { silentLog } from '../../harness/silent-log.ts'
import { attemptsOf, type Processes } from './attempts.ts'
import { changesOf, columnsOf } from './column-changes.ts'
import { changeOfRow, tablesWithRows } from './row-changes.ts'
import { openScene } from './scene.ts'

const database = await createTestDatabase()
const scene = disposeAfterTests(await openScene(database))
const undone = disposeAfterTests(await openUndoneDatabase(database.url))
const attempts = attemptsOf(scene)

/** Processes that have read nothing yet. */
function processes(): Processes {
  const { api, worker } = scene.desk
  const { db } = undone
  const { memory, verifier } = api
  const policies = createPolicyReader({ db, verifier, memory, log: silentLog })
  const here = { ...worker, db, policies, transcripts: new TranscriptCache() }
  return {
    worker: here,
    api: { ...api, db, policies, judgeRemotely: (question) => judgeCall(here, question, 'test') },
  }
}

/** What becomes of each attempt, which is undone. */
async function outcomes(): Promise<Record<string, string>> {
  const on = processes()
  const found: Record<string, string> = {}
  for (const { what, make } of attempts) {
    found[what] = await undone.runAndUndo(() => make(on).catch(codeOf))
  }
  return found
}

function codeOf(error: unknown): string {
  return error instanceof Problem ? error.code : String(error)
}

/** What nobody approved and yet is done after these statements; `null`: Postgres refuses them. */
async function doneAfter(statements: readonly string[]): Promise<string[] | null> {
  return undone.runAndUndo(async () => {
    for (const statement of statements) {
      const count = await undone.query(statement).then(
        ({ rowCount }) => rowCount,
        () => null,
      )
      if ((count ?? 0) === 0) return null
    }
    const after = Object.entries(await outcomes())
    return after.filter(([, outcome]) => outcome === 'done').map(([what]) => what)
  })
}

// Rules: security.md 13, 29
test('what nobody approved is refused for its own reason while no row is changed', async () => {
  const usually = Object.fromEntries(attempts.map(({ what, usually: how }) => [what, how]))
  expect(await undone.runAndUndo(outcomes)).toEqual(usually)
})

test('whatever is written into one column of a table, it approves nothing and runs nothing that nobody approved', async () => {
  const seed = seedOfRun()
  const choose = seededChoices(seed)
  const found: string[] = []
  let written = 0
  for (const column of await columnsOf(undone)) {
    const changes = await changesOf(undone, column)
    // One change of each column a run: all of them take twenty minutes.
    while (changes.length > 0) {
      const [change = ''] = changes.splice(choose.number(changes.length), 1)
      const done = await doneAfter([change])
      if (done === null) continue
      found.push(...done.map((what) => `SEED=${seed} ${change}: ${what}`))
      written += 1
      if (process.env['EVERY_CHANGE'] === undefined) break
    }
  }
  expect(found).toEqual([])
  expect(written).toBeGreaterThan(200)
})

test('whatever becomes of up to three rows, removed, exchanged, copied or changed, it approves nothing and runs nothing that nobody approved', async () => {
  const seed = seedOfRun()
  const choose = seededChoices(seed)
  const tables = await tablesWithRows(undone, await columnsOf(undone))
  const rounds = Number(process.env['ROUNDS'] ?? 40)
  const found: string[] = []
  let written = 0
  for (let tries = 0; written < rounds && tries < 50 * rounds; tries += 1) {
    const statements: string[] = []
    for (let count = 1 + choose.number(3); count > 0; count -= 1) {
      statements.push(await changeOfRow(undone, choose.one(tables), choose))
    }
    const done = await doneAfter(statements)
    if (done === null) continue
    written += 1
    found.push(...done.map((what) => `SEED=${seed} ${statements.join('; ')}: ${what}`))
  }
  expect(found).toEqual([])
  expect(written).toBe(rounds)
})

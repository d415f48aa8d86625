import { chmod, mkdtemp, rm, mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, dirname } from 'node:path'
import { generateKeyPairSync } from 'node:crypto'
import { cloneTemplate, type TestDatabase } from '#test/harness/postgres.ts'
import { migrateTemplate } from '#test/harness/template-database.ts'
import { withQueryLog, type LoggedQuery } from '#test/harness/fixtures/count-queries.ts'
import { costOf, type ReadingCost } from '#test/harness/fixtures/reading-cost.ts'
import { startEmbeddedPostgres } from '#runtime/embedded/postgres.ts'
import { connectDatabase } from '#store/database.ts'
import { sequenceAudit } from '#delivery/audit-log/audit-sequencer.ts'
import { formatStatementKeys } from '#evidence/bundle/statement-keys.ts'
import { noteKey } from '#evidence/note/note-key.ts'
import { exportAudit } from '#services/audit/export-audit.ts'
import { logAsFiles } from '#services/audit/export/log-as-files.ts'
import { fillDatabase, type FilledDatabase } from './fill-database.ts'
import { monotonicMs, percentiles, round } from '../figures.ts'
import { readings } from './readings.ts'
import { verifyFolder } from '../verify/verify-folder.ts'

const few = { requests: 2_000, pending: 500 }
const many = { requests: 100_000, pending: 5_000 }

/**
 * Measures the pages with a year of a team: 100,000 requests, 5,000 of them pending, and 1,000,000
 * events, beside a database with a fiftieth of these. Throws if a page reads a growing table
 * without an index, or the log does not verify.
 */
export async function benchScale(): Promise<object> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  // If root starts Postgres, it runs as another user, who must be able to read this folder.
  await chmod(folder, 0o755)
  const log = (): void => undefined
  const dataDir = join(folder, 'postgres')
  const server = await startEmbeddedPostgres({ dataDir, log, durable: false })
  try {
    await migrateTemplate(server.url)
    await using fewRows = await cloneTemplate(server.url)
    await using manyRows = await cloneTemplate(server.url)
    const little = await readPages(fewRows, await fillDatabase(fewRows.db, few))
    const filled = await fillDatabase(manyRows.db, many)
    const pages = await readPages(manyRows, filled)
    assertIndexed(pages)
    const trail = await readLog(filled)
    return { few, many, trail, pages: besides(pages, little) }
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function assertIndexed(pages: ReadonlyMap<string, PageCost>): void {
  const bad = [...pages].filter(([, { unindexed }]) => unindexed.length > 0)
  if (bad.length > 0) throw new Error(`Read without an index: ${JSON.stringify(bad)}`)
}

/** The figures of each page beside those of the smaller database. */
function besides(
  pages: ReadonlyMap<string, PageCost>,
  little: ReadonlyMap<string, PageCost>,
): Record<string, object> {
  return Object.fromEntries(
    [...pages].map(([name, cost]) => [name, { ...cost, blocksOfFew: little.get(name)?.blocks }]),
  )
}

const samples = 15

/** A page's counts, and how long it takes with the service's own pool. */
interface PageCost extends ReadingCost {
  readonly seen: number
  readonly ms: { readonly p50: number; readonly p95: number }
}

/** Reads every page of the dashboard's and the command line's growing lists. */
async function readPages(
  database: TestDatabase,
  filled: FilledDatabase,
): Promise<ReadonlyMap<string, PageCost>> {
  const { url } = database
  await using db = connectDatabase({ url, poolSize: 5, applicationName: 'countersign bench' })
  const costs = new Map<string, PageCost>()
  for (const [name, read] of Object.entries(readings(filled))) {
    const queries: LoggedQuery[] = []
    const logged = withQueryLog(url, queries)
    const seen = await read({ ...filled.service.ctx, db: logged })
    await logged.destroy()
    const times: number[] = []
    for (let nth = 0; nth < samples; nth += 1) {
      const began = monotonicMs()
      await read({ ...filled.service.ctx, db })
      times.push(monotonicMs() - began)
    }
    costs.set(name, { seen, ms: percentiles(times), ...(await costOf(url, queries)) })
  }
  return costs
}

/**
 * Sequences the whole trail, exports it in both formats and verifies the log. Returns the events
 * per second of each. Throws unless everything verifies.
 */
async function readLog({ service, auditor }: FilledDatabase): Promise<object> {
  const { ctx } = service
  const keys = generateKeyPairSync('ed25519')
  const key = noteKey('countersign/bench', keys.publicKey)
  const signer = { key, privateKey: keys.privateKey }
  const sequenced = await rateOf(async () => {
    let count = 0
    for (;;) {
      const appended = await sequenceAudit(ctx.db, signer)
      if (appended === 0) return count
      count += appended
    }
  })
  const lines = await rateOf(async () => {
    const exported = await exportAudit(ctx, auditor.caller, {
      format: 'jsonl',
      keyReadsAudit: false,
    })
    let count = 0
    for await (const line of exported.lines) count += line === '' ? 0 : 1
    return count
  })
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  try {
    const exported = await rateOf(async () => {
      const note = formatStatementKeys(ctx.verifier, signer)
      for await (const { path, bytes } of logAsFiles(ctx.db, note)) {
        await mkdir(dirname(join(folder, path)), { recursive: true })
        await writeFile(join(folder, path), bytes)
      }
      return sequenced.events
    })
    const verified = await rateOf(async () => {
      verifyFolder(folder, key)
      return sequenced.events
    })
    return { sequenced, exportedLines: lines, exportedLog: exported, verified }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Rate {
  readonly events: number
  readonly seconds: number
  readonly eventsPerSecond: number
}

async function rateOf(work: () => Promise<number>): Promise<Rate> {
  const began = performance.now()
  const events = await work()
  const seconds = (performance.now() - began) / 1000
  return { events, seconds: round(seconds), eventsPerSecond: Math.round(events / seconds) }
}

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '#runtime/embedded/postgres.ts'
import { cloneTemplate } from '#test/harness/postgres.ts'
import { migrateTemplate } from '#test/harness/template-database.ts'
import { fillDatabase } from './fill-database.ts'
import { readLog } from './read-log.ts'
import { readPages, type PageCost } from './read-pages.ts'

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

/** Each page with what it touches in the smaller database. */
function besides(
  pages: ReadonlyMap<string, PageCost>,
  little: ReadonlyMap<string, PageCost>,
): Record<string, object> {
  return Object.fromEntries(
    [...pages].map(([name, cost]) => [name, { ...cost, blocksOfFew: little.get(name)?.blocks }]),
  )
}

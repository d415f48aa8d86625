import { connectDatabase } from '#store/database.ts'
import { withQueryLog, type LoggedQuery } from '#test/harness/fixtures/count-queries.ts'
import { costOf, type ReadingCost } from '#test/harness/fixtures/reading-cost.ts'
import type { TestDatabase } from '#test/harness/postgres.ts'
import { monotonicMs, percentiles } from '../figures.ts'
import type { FilledDatabase } from './fill-database.ts'
import { readings } from './readings.ts'

const samples = 15

/** A page's counts, and how long it takes with the service's own pool. */
export interface PageCost extends ReadingCost {
  readonly seen: number
  readonly ms: { readonly p50: number; readonly p95: number }
}

/** Reads every page of the dashboard's and the command line's growing lists. */
export async function readPages(
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

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '#runtime/embedded/postgres.ts'
import { cloneTemplate, type TestDatabase } from '#test/harness/postgres.ts'
import { migrateTemplate } from '#test/harness/template-database.ts'

/** Measures on a migrated database of a Postgres that waits for its disk; removes both. */
export async function onOwnPostgres(
  measure: (database: TestDatabase) => Promise<object>,
): Promise<object> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  // If root starts Postgres, it runs as another user, who must be able to read this folder.
  await chmod(folder, 0o755)
  const dataDir = join(folder, 'postgres')
  const server = await startEmbeddedPostgres({ dataDir, log: () => undefined, durable: true })
  try {
    await migrateTemplate(server.url)
    return await measure(await cloneTemplate(server.url))
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

import { join, resolve } from 'node:path'
import { sql } from 'kysely'
import {
  describeNewerBackup,
  requireKnownMigrations,
  restoreTables,
} from '#store/backup/restore-tables.ts'
import { grantToApplication } from '../schema/application-role.ts'
import { readText } from '../environment.ts'
import { restoreKeys } from './key-files.ts'
import { contentsOf } from './manifest.ts'
import { readBackup } from './read-backup.ts'
import { withDatabase, type FolderChoice, type InstallationFolders } from './with-database.ts'
import { exists } from '../files.ts'

/**
 * `countersign restore`: fills an empty database, and writes missing keys. It overwrites nothing.
 * With `check` it only reads the file and compares it with its hashes. The restored installation
 * serves after `doctor --repair`.
 */
export async function runRestore(
  from: string,
  options: FolderChoice & { check?: boolean },
): Promise<void> {
  const file = resolve(from)
  const { manifest, keys, rows } = await readBackup(file)
  requireKnownMigrations(manifest.migrations, describeNewerBackup)
  const contents = contentsOf(manifest)
  if (options.check === true) {
    console.log(
      `${file} is complete: ${contents}, ${manifest.privateKeys ? 'with' : 'without'} private keys`,
    )
    return
  }
  const log = (sentence: string) => console.error(sentence)
  await withDatabase(options, { isToBeFilled: true, log }, async (db, place) => {
    // Before the rows: if these fail, another try finds the same keys, and an empty database.
    for (const path of await restoreKeys(place.folders.dataDir, keys)) log(`wrote ${path}`)
    await restoreTables(db, manifest, rows())
    await grantToApplication(db, place.environment)
    await sql`analyze`.execute(db)
    console.log(`restored ${contents}`)
    for (const sentence of await missingKeys(place)) console.log(sentence)
    console.log(
      'It may be older than what was done since. Before it serves, with the service stopped: countersign doctor --repair',
    )
  })
}

async function missingKeys({ folders, environment }: InstallationFolders): Promise<string[]> {
  const keyFiles = [
    ['signing.pem', 'COUNTERSIGN_SIGNING_KEY', 'a new one is created at the next start'],
    ['log.pem', 'COUNTERSIGN_LOG_KEY', 'without it, the audit log cannot continue'],
    [
      'push.pem',
      'COUNTERSIGN_PUSH_KEY',
      'without it, people have to turn on push notifications again',
    ],
  ] as const
  const sentences: string[] = []
  for (const [name, variable, otherwise] of keyFiles) {
    const path = join(folders.dataDir, 'keys', name)
    const isThere = await exists(path)
    if (!isThere && readText(environment, variable) === undefined)
      sentences.push(`Put ${path} there from your copy of the keys: ${otherwise}.`)
  }
  return sentences
}

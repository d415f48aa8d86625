import { join } from 'node:path'
import { isDatabaseAway } from '#store/connection/database-outage.ts'
import { connectDatabase, type Db } from '#store/database.ts'
import { migrationUrl } from '../schema/application-role.ts'
import { findCheckTarget } from '../doctor/target/find-check-target.ts'
import { passwordFileOf } from '../embedded/postgres-address.ts'
import { startEmbeddedPostgres } from '../embedded/postgres.ts'
import { readText, type Environment } from '../environment.ts'
import { runFolder, type Folders } from '../folders.ts'
import { becomeSupervisor, resignAsSupervisor } from '../supervisor/single-start.ts'
import { exists } from '../files.ts'

export interface FolderChoice {
  readonly project?: string
  readonly data?: string
}
export interface InstallationFolders {
  readonly folders: Folders
  readonly environment: Environment
}

/**
 * Runs work on the database of an installation: the one that the environment names, that of the
 * service that runs in these folders, or the folder's own, which is started for this work.
 * `isToBeFilled`: for a restore, which creates the folder's database if there is none, and is
 * refused while the service runs.
 */
export async function withDatabase<T>(
  choice: FolderChoice,
  {
    isToBeFilled,
    log,
  }: { readonly isToBeFilled: boolean; readonly log: (sentence: string) => void },
  work: (db: Db, place: InstallationFolders) => Promise<T>,
): Promise<T> {
  const { folders, environment, databaseUrl, isAtWork } = await findCheckTarget(choice)
  const place = { folders, environment }
  if (databaseUrl !== null) {
    if (isToBeFilled && readText(environment, 'DATABASE_URL') === undefined)
      throw new Error('Countersign runs here: stop it first, or name another folder with --data')
    // Only the owner can make tables.
    const url = (isToBeFilled ? migrationUrl(environment) : null) ?? databaseUrl
    return withConnection(url, (db) => work(db, place), isToBeFilled)
  }
  if (isAtWork && !isToBeFilled) {
    throw new Error(
      'The service runs here, but its Postgres does not: run the command again once the service is ready, or stop it first',
    )
  }
  const dataDir = join(folders.dataDir, 'postgres')
  if (!isToBeFilled && !(await exists(passwordFileOf(dataDir)))) {
    throw new Error(
      `${folders.dataDir} has no database: name the folder with --data, or set DATABASE_URL`,
    )
  }
  const runDir = runFolder(folders.dataDir)
  await becomeSupervisor(runDir, log)
  try {
    log('nothing runs here: starting only Postgres')
    const postgres = await startEmbeddedPostgres({ dataDir, durable: true, log })
    try {
      return await withConnection(postgres.url, (db) => work(db, place), isToBeFilled)
    } finally {
      await postgres.stop()
    }
  } finally {
    await resignAsSupervisor(runDir)
  }
}

/**
 * Runs work on a database of its own connections. Rejects with a sentence if the database does not
 * answer or ends a connection: a restore may then have written its rows.
 */
export async function withConnection<T>(
  url: string,
  work: (db: Db) => Promise<T>,
  isToBeFilled: boolean,
): Promise<T> {
  await using db = connectDatabase({ url, poolSize: 2, applicationName: 'countersign backup' })
  try {
    return await work(db)
  } catch (error) {
    if (!isDatabaseAway(error)) throw error
    const away = 'the database does not answer, or has ended the connection'
    const into = isToBeFilled ? ', into an empty database,' : ''
    throw new Error(`${away}: run the command again${into} once it answers`, { cause: error })
  }
}

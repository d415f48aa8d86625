import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { processEnvironment, readText } from '../../environment.ts'
import { findFolders, runFolder } from '../../folders.ts'
import { readRunningProcess } from '../../processes/process-identity.ts'
import { readProjectEnvironment } from '../../config/project-environment.ts'
import { embeddedUrl } from '../../embedded/postgres-address.ts'
import { readPorts } from '../../supervisor/remembered-ports.ts'
import { processFiles } from '../../supervisor/supervise.ts'
import { readTemporalConfig, temporalNamedBy } from '../../config/temporal-config.ts'
import type { CheckTarget } from './check.ts'

/** The installation of these folders, with its own servers or those of the environment. */
export async function findCheckTarget(options: {
  project?: string
  data?: string
}): Promise<CheckTarget> {
  const folders = findFolders(options)
  const environment = readProjectEnvironment(folders.projectDir, processEnvironment())
  const runDir = runFolder(folders.dataDir)
  const isNamed = temporalNamedBy(environment) !== null
  const own = isNamed ? null : await ownTemporal(runDir)
  const { address, namespace, ...temporalSecurity } = readTemporalConfig(
    isNamed ? environment : { ...environment, TEMPORAL_ADDRESS: own ?? '127.0.0.1:7233' },
  )
  return {
    folders,
    environment,
    databaseUrl:
      readText(environment, 'DATABASE_URL') ?? (await ownPostgres(folders.dataDir, runDir)),
    temporalAddress: isNamed ? address : own,
    isAtWork:
      readText(environment, 'DATABASE_URL') !== undefined || (await runs(runDir, 'supervisor')),
    temporalNamespace: namespace,
    temporalSecurity,
  }
}

async function ownPostgres(dataDir: string, runDir: string): Promise<string | null> {
  if (!(await runs(runDir, 'postgres'))) return null
  const { postgres: port } = await readPorts(dataDir)
  return port === undefined ? null : embeddedUrl(join(dataDir, 'postgres'), port)
}

async function ownTemporal(runDir: string): Promise<string | null> {
  if (!(await runs(runDir, 'temporal'))) return null
  return readFile(join(runDir, 'temporal.address'), 'utf8').then(
    (text) => text.trim(),
    () => null,
  )
}

async function runs(runDir: string, name: string): Promise<boolean> {
  return (await readRunningProcess(processFiles(runDir, name).identity)) !== null
}

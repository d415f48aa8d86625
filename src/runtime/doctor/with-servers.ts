import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { runFolder } from '../folders.ts'
import { startInfrastructure } from '../supervisor/infrastructure.ts'
import { createProgress } from '../supervisor/progress.ts'
import { readPorts } from '../supervisor/remembered-ports.ts'
import { becomeSupervisor, resignAsSupervisor } from '../supervisor/single-start.ts'
import type { Supervised } from '../supervisor/supervise.ts'
import type { Patient } from './check.ts'

/**
 * Look at a patient whose own Postgres and Temporal do not run: they are started for the time of the
 * examination, since what is wrong may be inside them. Servers that the environment names are left alone.
 */
export async function withServers<T>(
  patient: Patient,
  log: (sentence: string) => void,
  examine: (awake: Patient) => Promise<T>,
): Promise<T> {
  const { dataDir } = patient.folders
  const isMade = await access(join(dataDir, 'postgres.password')).then(
    () => true,
    () => false,
  )
  const isAwake = patient.databaseUrl !== null && patient.temporalAddress !== null
  if (isAwake || !isMade) return examine(patient)
  const runDir = runFolder(dataDir)
  const silent = createProgress(() => undefined)
  log('nothing runs here: starting Postgres and Temporal to look inside')
  await becomeSupervisor(runDir, log)
  const started: Supervised[] = []
  try {
    const { variables } = await startInfrastructure({
      dataDir,
      environment: patient.environment,
      ports: await readPorts(dataDir),
      progress: silent,
      onStarted: (server) => started.push(server),
    })
    return await examine({
      ...patient,
      databaseUrl:
        variables['COUNTERSIGN_MIGRATE_DATABASE_URL'] ?? variables['DATABASE_URL'] ?? null,
      temporalAddress: variables['TEMPORAL_ADDRESS'] ?? null,
    })
  } finally {
    for (const server of started.toReversed()) await server.stop()
    await resignAsSupervisor(runDir)
  }
}

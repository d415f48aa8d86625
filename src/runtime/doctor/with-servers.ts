import { join } from 'node:path'
import { passwordFileOf } from '../embedded/postgres-address.ts'
import { runFolder } from '../folders.ts'
import { startInfrastructure } from '../supervisor/infrastructure.ts'
import { createProgress } from '../supervisor/progress.ts'
import { readPorts } from '../supervisor/remembered-ports.ts'
import { becomeSupervisor, resignAsSupervisor } from '../supervisor/single-start.ts'
import { stopService, type SupervisionHandle } from '../supervisor/supervise.ts'
import type { CheckTarget } from './target/check.ts'
import { exists } from '../files.ts'

/**
 * Examines a target whose own Postgres and Temporal do not run: they are started for the
 * examination, since the problem may be inside them. External servers are left alone.
 */
export async function withServers<T>(
  target: CheckTarget,
  log: (sentence: string) => void,
  examine: (awake: CheckTarget) => Promise<T>,
): Promise<T> {
  const { dataDir } = target.folders
  const isMade = await exists(passwordFileOf(join(dataDir, 'postgres')))
  const isAwake = target.databaseUrl !== null && target.temporalAddress !== null
  if (isAwake || !isMade) return examine(target)
  const runDir = runFolder(dataDir)
  const silent = createProgress(() => undefined)
  log('nothing runs here: starting Postgres and Temporal to look inside')
  await becomeSupervisor(runDir, log)
  const started: Promise<SupervisionHandle>[] = []
  try {
    const { variables, temporalServes } = await startInfrastructure({
      dataDir,
      environment: target.environment,
      ports: await readPorts(dataDir),
      progress: silent,
      onStarting: (server) => started.push(server),
    })
    await temporalServes
    return await examine({
      ...target,
      databaseUrl:
        variables['COUNTERSIGN_MIGRATE_DATABASE_URL'] ?? variables['DATABASE_URL'] ?? null,
      temporalAddress: variables['TEMPORAL_ADDRESS'] ?? null,
    })
  } finally {
    for (const starting of started.toReversed()) await stopService(starting)
    await resignAsSupervisor(runDir)
  }
}

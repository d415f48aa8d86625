import type { QuorumPlace } from '../../domain/request.ts'
import type { ProjectConfig, WorkerDefinition } from '../policy.ts'
import { configFile } from './read-config.ts'
import type { Place, Report } from '../reading/report.ts'

/** Points out what would make requests that nobody can decide; a run that needs it fails at start. */
export function warnOfUnreachable(
  report: Report,
  config: ProjectConfig,
  workers: ReadonlyMap<string, WorkerDefinition>,
): void {
  for (const queue of config.queues.values()) {
    const team = config.teams.get(queue.team)
    if (team === undefined || team.members.length > 0) continue
    const problem = `queue "${queue.name}" reaches nobody: team "${queue.team}" is empty`
    report.warn(placeOfSource(queue.source), problem, `add members to team "${queue.team}"`)
  }
  for (const entry of config.routing) {
    if (entry.quorum === null || 'count' in entry.quorum) continue
    if (entry.quorum.places.any.some((places) => places.every((place) => has(config, place))))
      continue
    const problem = 'the quorum needs more people than its teams have'
    report.warn(placeOfSource(entry.source), problem, 'add members, or lower the counts')
  }
  for (const worker of workers.values()) {
    if (worker.queue !== null || config.defaultQueue !== null) continue
    const place = { file: `workers/${worker.name}.md`, line: null }
    const problem = `worker "${worker.name}" has no queue and there is no default one`
    report.warn(
      place,
      problem,
      `give it a "queue", or set \`defaults: { queue: … }\` in ${configFile}`,
    )
  }
}

function has(config: ProjectConfig, place: QuorumPlace): boolean {
  return (config.teams.get(place.team)?.members.length ?? 0) >= place.count
}

function placeOfSource(source: string): Place {
  const colon = source.lastIndexOf(':')
  return { file: source.slice(0, colon), line: Number(source.slice(colon + 1)) }
}

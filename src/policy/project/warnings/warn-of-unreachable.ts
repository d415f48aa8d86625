import { quorumTeams, tally } from '../../../domain/deciding/quorum.ts'
import type { Quorum } from '../../../domain/request.ts'
import type { ProjectConfig, QuorumSetting, RoutingEntry, WorkerDefinition } from '../../policy.ts'
import { groupTeams } from './group-teams.ts'
import { configFile } from '../config/read-config.ts'
import { placeOfSource, type Report } from '../../reading/report.ts'

/** Points out what would make requests that nobody can decide; a run that needs it fails at start. */
export function warnOfUnreachable(
  report: Report,
  config: ProjectConfig,
  workers: ReadonlyMap<string, WorkerDefinition>,
): void {
  const filled = groupTeams(config)
  for (const queue of config.queues.values()) {
    const team = config.teams.get(queue.team)
    if (team === undefined || team.members.length > 0 || filled.has(team.name)) continue
    const problem = `queue "${queue.name}" reaches nobody: team "${queue.team}" is empty`
    report.warn(placeOfSource(queue.source), problem, `add members to team "${queue.team}"`)
  }
  for (const entry of config.routing) {
    if (entry.quorum === null || canBeMet(config, entry, entry.quorum)) continue
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

/** A count without a queue is of whatever queue the call goes to, which is not known here. */
function canBeMet(config: ProjectConfig, entry: RoutingEntry, quorum: QuorumSetting): boolean {
  if ('places' in quorum) return everybodyMeets(config, quorum.places)
  const queue = config.queues.get(entry.queue ?? config.defaultQueue ?? '')
  if (queue === undefined) return true
  return everybodyMeets(config, { any: [[{ team: queue.team, count: quorum.count }]] })
}

/** Would it be met if everybody approved? Distinct people fill distinct places. How many a group has is not known here. */
function everybodyMeets(config: ProjectConfig, quorum: Quorum): boolean {
  const filled = groupTeams(config)
  if (quorumTeams(quorum).some((name) => filled.has(name))) return true
  const asked = quorumTeams(quorum).flatMap((name) => config.teams.get(name) ?? [])
  const people = new Set(asked.flatMap((team) => team.members))
  const votes = [...people].map((personId) => ({
    personId,
    teams: asked.filter((team) => team.members.includes(personId)).map((team) => team.name),
  }))
  return tally(quorum, votes).met
}

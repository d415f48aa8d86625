import { quorumTeams, tally } from '#domain/deciding/quorum.ts'
import { widestQuorum } from '#domain/deciding/waiting-steps.ts'
import type { Quorum } from '#domain/requests/request.ts'
import { type ProjectConfig, type Queue, rightNames } from '../../project-config.ts'
import type { QuorumSetting, RoutingEntry } from '../../routing.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'
import { quorumOf } from '../../judge/routing/route.ts'
import { groupTeams } from '../config/teams.ts'
import { configFile } from '../../names/own-files.ts'
import { placeOfSource, type Report } from '../../reading/report.ts'

/**
 * Warns of settings that would cause requests nobody can decide; a run that needs them fails at its
 * start.
 */
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
  for (const queue of config.queues.values()) warnOfTeamOfOne(report, config, queue)
  for (const entry of config.routing) {
    if (entry.quorum === null) continue
    if (canBeMet(config, entry, entry.quorum)) warnOfNeeded(report, config, entry, entry.quorum)
    else {
      const problem = 'the quorum needs more people than its teams have'
      report.warn(placeOfSource(entry.source), problem, 'add members, or lower the counts')
    }
  }
  for (const { name, worker, as, source } of config.triggers.values()) {
    if (as !== null || workers.get(worker)?.startableBy == null) continue
    const problem = `trigger "${name}" starts nothing: only members of teams may start ${worker}`
    report.error(placeOfSource(source), problem, 'say with "as" who starts its runs')
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

/**
 * Somebody who is alone in a team cannot decide requests of their own runs, which therefore do not
 * start (product.md 42).
 */
function warnOfTeamOfOne(report: Report, config: ProjectConfig, queue: Queue): void {
  const teams = [queue.team, ...queue.escalate.flatMap(({ addTeams }) => addTeams)]
  const filled = groupTeams(config)
  const members = new Set(teams.flatMap((name) => config.teams.get(name)?.members ?? []))
  const [only, ...others] = members
  if (queue.selfApproval || only === undefined || others.length > 0) return
  if (teams.some((name) => filled.has(name))) return
  const problem = `queue "${queue.name}" reaches ${only} alone, who decides nothing that they started: such a run does not start`
  const remedy = `add a colleague to team "${queue.team}", or set \`selfApproval: true\` on the queue`
  report.warn(placeOfSource(queue.source), problem, remedy)
}

/**
 * People whose approval a quorum always needs cannot start a run that may ask there (product.md
 * 42). A count of one is what its queue is warned of.
 */
function warnOfNeeded(
  report: Report,
  config: ProjectConfig,
  { queue: name, source }: RoutingEntry,
  setting: QuorumSetting,
): void {
  if ('count' in setting && setting.count === 1) return
  // An entry without a queue is for that of each worker, which is unknown here.
  const queues = [...config.queues.values()].filter((queue) => name === null || queue.name === name)
  if (queues.length === 0 || queues.some(({ selfApproval }) => selfApproval)) return
  const quorums = queues.map((queue) =>
    widestQuorum({ ...queue, quorum: quorumOf(setting, queue) }),
  )
  const people = new Set(
    quorums.flatMap(quorumTeams).flatMap((team) => config.teams.get(team)?.members ?? []),
  )
  const needed = [...people].filter((person) =>
    quorums.every((quorum) => !everybodyMeets(config, quorum, person)),
  )
  if (needed.length === 0) return
  const problem = `the quorum is not met without ${needed.join(' or ')}, who decides nothing that they started: such a run does not start`
  report.warn(placeOfSource(source), problem, 'add colleagues to their teams, or lower the counts')
}

/** A count without a queue is for the call's own queue, which is unknown here. */
function canBeMet(config: ProjectConfig, entry: RoutingEntry, quorum: QuorumSetting): boolean {
  if ('places' in quorum) return everybodyMeets(config, quorum.places)
  const queue = config.queues.get(entry.queue ?? config.defaultQueue ?? '')
  if (queue === undefined) return true
  return everybodyMeets(config, { any: [[{ team: queue.team, count: quorum.count }]] })
}

/**
 * Whether the quorum would be met if everybody approved, but for one person. Distinct people fill
 * distinct places. The size of a group is unknown here.
 */
function everybodyMeets(
  config: ProjectConfig,
  quorum: Quorum,
  except: string | null = null,
): boolean {
  const filled = groupTeams(config)
  if (quorumTeams(quorum).some((name) => filled.has(name))) return true
  const peopleOfTeams = quorumTeams(quorum).flatMap((name) => config.teams.get(name) ?? [])
  const people = new Set(peopleOfTeams.flatMap((team) => team.members))
  const votes = [...people]
    .filter((person) => person !== except)
    .map((personId) => ({
      personId,
      teams: peopleOfTeams
        .filter((team) => team.members.includes(personId))
        .map((team) => team.name),
    }))
  return tally(quorum, votes).met
}

/**
 * Warns of rights for teams that a provider's groups fill: only people whom the file names can have
 * rights.
 */
export function warnOfGroupRights(report: Report, config: ProjectConfig): void {
  const { oidc } = config.signIn
  if (oidc === null) return
  const filled = groupTeams(config)
  const rights = rightNames.flatMap((right) =>
    config.rights[right].flatMap((holder) =>
      'team' in holder && filled.has(holder.team) ? [{ right, team: holder.team }] : [],
    ),
  )
  for (const { right, team } of rights) {
    report.warn(
      placeOfSource(oidc.source),
      `groups fill team "${team}", which holds the right ${right}: members by a group have no rights`,
      'name under teams or rights who is to have it',
    )
  }
}

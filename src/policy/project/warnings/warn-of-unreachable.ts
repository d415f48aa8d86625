import { quorumTeams, tally, type Vote } from '#domain/deciding/quorum.ts'
import { widestQuorum } from '#domain/deciding/waiting-steps.ts'
import type { Quorum } from '#domain/requests/request.ts'
import { type ProjectConfig, type Queue, rightNames } from '../../project-config.ts'
import type { QuorumSetting, RoutingEntry } from '../../routing.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'
import { quorumOf } from '../../judge/routing/route.ts'
import { groupTeams } from '../config/teams.ts'
import { configFile } from '../../names/own-files.ts'
import { placeOfSource, type Report } from '../../reading/report.ts'

/** Warns of settings under which nobody can decide: a run that needs them does not start. */
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
  for (const queue of config.queues.values()) warnOfTeamOfOne(report, config, workers, queue)
  for (const entry of config.routing) {
    if (entry.quorum === null) continue
    if (canBeMet(config, entry, entry.quorum)) {
      warnOfNeeded(report, config, workers, entry, entry.quorum)
    } else {
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
function warnOfTeamOfOne(
  report: Report,
  config: ProjectConfig,
  workers: ReadonlyMap<string, WorkerDefinition>,
  queue: Queue,
): void {
  const teams = [queue.team, ...queue.escalate.flatMap(({ addTeams }) => addTeams)]
  const filled = groupTeams(config)
  const members = new Set(teams.flatMap((name) => config.teams.get(name)?.members ?? []))
  const [only, ...others] = members
  if (queue.selfApproval || only === undefined || others.length > 0) return
  if (teams.some((name) => filled.has(name)) || !mayStart(config, workers, only)) return
  const problem = `queue "${queue.name}" reaches ${only} alone, who decides nothing that they started: such a run does not start`
  const remedy = `add a colleague to team "${queue.team}", or set \`selfApproval: true\` on the queue`
  report.warn(placeOfSource(queue.source), problem, remedy)
}

/**
 * People whose approval a quorum always needs cannot start a run that may ask there (product.md
 * 42). A count of one is left to the warning of its queue.
 */
function warnOfNeeded(
  report: Report,
  config: ProjectConfig,
  workers: ReadonlyMap<string, WorkerDefinition>,
  { queue: name, source }: RoutingEntry,
  setting: QuorumSetting,
): void {
  if ('count' in setting && setting.count === 1) return
  // An entry without a queue is for that of each worker, which is unknown here.
  const queues = [...config.queues.values()].filter((queue) => name === null || queue.name === name)
  if (queues.length === 0 || queues.some(({ selfApproval }) => selfApproval)) return
  const [first = [], ...rest] = queues.map((queue) =>
    peopleNeeded(config, widestQuorum({ ...queue, quorum: quorumOf(setting, queue) })),
  )
  const needed = first.filter(
    (person) =>
      rest.every((people) => people.includes(person)) && mayStart(config, workers, person),
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

/** Whether the quorum would be met if everybody approved. The size of a group is unknown here. */
function everybodyMeets(config: ProjectConfig, quorum: Quorum): boolean {
  return isFilledByGroup(config, quorum) || tally(quorum, votesOfAll(config, quorum)).met
}

/** The people without whom the quorum would not be met if everybody else approved. */
function peopleNeeded(config: ProjectConfig, quorum: Quorum): readonly string[] {
  if (isFilledByGroup(config, quorum)) return []
  const votes = votesOfAll(config, quorum)
  const people = votes.map(({ personId }) => personId)
  const all = tally(quorum, votes)
  if (!all.met) return people
  // The people who fill its places meet the quorum without anybody else.
  const placeHolders = new Set(all.counted.map(({ personId }) => personId))
  return people.filter((person) => {
    if (!placeHolders.has(person)) return false
    const others = votes.filter(({ personId }) => personId !== person)
    return !tally(quorum, others).met
  })
}

function isFilledByGroup(config: ProjectConfig, quorum: Quorum): boolean {
  const filled = groupTeams(config)
  return quorumTeams(quorum).some((name) => filled.has(name))
}

/** An approval of everybody in the quorum's teams. Distinct people fill distinct places. */
function votesOfAll(config: ProjectConfig, quorum: Quorum): readonly Vote[] {
  const teamsByPerson = new Map<string, string[]>()
  for (const team of quorumTeams(quorum)) {
    for (const person of config.teams.get(team)?.members ?? []) {
      teamsByPerson.set(person, [...(teamsByPerson.get(person) ?? []), team])
    }
  }
  return [...teamsByPerson].map(([personId, teams]) => ({ personId, teams }))
}

/** Whether a person may start some worker; everybody may while a project has none. */
function mayStart(
  config: ProjectConfig,
  workers: ReadonlyMap<string, WorkerDefinition>,
  person: string,
): boolean {
  const filled = groupTeams(config)
  const mayBeIn = (team: string): boolean =>
    filled.has(team) || config.teams.get(team)?.members.includes(person) === true
  return (
    workers.size === 0 ||
    [...workers.values()].some(({ startableBy }) => startableBy?.some(mayBeIn) ?? true)
  )
}

/** Warns of rights for teams of a provider's groups: only people in the file have rights. */
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

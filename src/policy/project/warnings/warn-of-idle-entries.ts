import { builtInToolNames, isCommandTool } from '#domain/tools/built-in-tools.ts'
import { quorumTeams } from '#domain/deciding/quorum.ts'
import { defaultWorkspace } from '#domain/tools/workspace-name.ts'
import { globMatches } from '../../judge/routing/when-matches.ts'
import type { ProjectConfig, Queue } from '../../project-config.ts'
import type { RoutingEntry, When } from '../../routing.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'
import { placeOfSource, type Report } from '../../reading/report.ts'
import { workspacesOf } from '../../workspaces.ts'

/** Warns of entries in countersign.yaml that can never apply. */
export function warnOfIdleEntries(
  report: Report,
  config: ProjectConfig,
  workers: ReadonlyMap<string, WorkerDefinition>,
): void {
  const used = new Set([...workers.values()].flatMap(workspacesOf))
  for (const { name, source } of namedEntries(config)) {
    if (used.has(name)) continue
    const problem = `"workspaces.${name}" is never used: no worker lists it`
    const remedy = `write \`workspace: ${name}\` in a worker file, or remove it`
    report.warn(placeOfSource(source), problem, remedy)
  }
  for (const [index, entry] of config.routing.entries()) {
    const earlier = config.routing.slice(0, index).find((one) => covers(one.when, entry.when))
    if (earlier === undefined) continue
    const problem = `routing entry ${index + 1} never counts: ${earlier.source} comes first and matches all it does`
    report.warn(placeOfSource(entry.source), problem, 'put it first, or remove it')
  }
  for (const { when, source } of config.routing) warnOfNever(report, when, source)
  for (const { when, consent } of config.overlays) warnOfNever(report, when, consent.source)
  for (const queue of config.queues.values()) {
    warnOfLateTimes(report, queue)
    warnOfIdleTeams(report, config, queue)
  }
  for (const entry of config.routing) warnOfLostEscalation(report, config, entry)
}

function namedEntries({
  workspaces,
}: ProjectConfig): { readonly name: string; readonly source: string }[] {
  return [...workspaces].flatMap(([name, { source }]) =>
    name === defaultWorkspace || source === undefined ? [] : [{ name, source }],
  )
}

/** Warns of conditions that no call can meet together. */
function warnOfNever(report: Report, { tool, command }: When, source: string): void {
  if (command === null || tool === null) return
  const commandTools = builtInToolNames.filter(isCommandTool)
  if (commandTools.some((name) => tool.some((glob) => globMatches(glob, name)))) return
  const problem = `no call matches: "command" is about ${commandTools.join(' and ')}, "tool" names ${tool.join(', ')}`
  report.warn(placeOfSource(source), problem, 'leave one of them out')
}

/** Warns of an escalation that adds nobody. */
function warnOfIdleTeams(report: Report, config: ProjectConfig, queue: Queue): void {
  for (const name of queue.escalate.flatMap(({ addTeams }) => addTeams)) {
    const isEmpty = config.teams.get(name)?.members.length === 0
    if (name !== queue.team && !isEmpty) continue
    const why = isEmpty ? 'has no members' : 'is asked from the start'
    const problem = `queue "${queue.name}" escalates to team "${name}", which ${why}`
    report.warn(placeOfSource(queue.source), problem, 'name a team that brings in others')
  }
}

/** An escalation adds people to places of the queue's own team, and nothing without one. */
function warnOfLostEscalation(report: Report, config: ProjectConfig, entry: RoutingEntry): void {
  const { quorum, source } = entry
  const queue = config.queues.get(entry.queue ?? config.defaultQueue ?? '')
  if (quorum === null || !('places' in quorum) || queue === undefined) return
  if (queue.escalate.length === 0 || quorumTeams(quorum.places).includes(queue.team)) return
  const problem = `the quorum has no place of team "${queue.team}", so queue "${queue.name}" escalates none of these requests`
  report.warn(
    placeOfSource(source),
    problem,
    `give "${queue.team}" a place, or choose another queue`,
  )
}

/** Warns of times after the expiry of a request. */
function warnOfLateTimes(report: Report, queue: Queue): void {
  const { expiresAfterMs } = queue
  const late = [
    ...queue.remindAfterMs.map((afterMs) => ({ afterMs, what: 'reminds nobody' })),
    ...queue.escalate.map(({ afterMs }) => ({ afterMs, what: 'escalates to nobody' })),
  ].find(({ afterMs }) => afterMs >= expiresAfterMs)
  if (late === undefined) return
  const problem = `queue "${queue.name}" ${late.what} before its requests have expired`
  report.warn(placeOfSource(queue.source), problem, 'choose a time before "expiresAfter"')
}

/** Whether all that matches `later` matches `earlier`; `false` if the texts do not show it. */
function covers(earlier: When, later: When): boolean {
  return (
    within(later.tool, earlier.tool, globCovers) &&
    within(later.path, earlier.path, globCovers) &&
    within(later.worker, earlier.worker, isSame) &&
    within(later.queue, earlier.queue, isSame) &&
    within(later.command, earlier.command, startsWith) &&
    within(later.risk, earlier.risk, isSame) &&
    within(later.cue, earlier.cue, isSame)
  )
}

/** Whether an earlier value covers each of the later values; an absent list covers all. */
function within(
  later: readonly string[] | null,
  earlier: readonly string[] | null,
  covers: (one: string, by: string) => boolean,
): boolean {
  if (earlier === null) return true
  return later !== null && later.every((one) => earlier.some((by) => covers(one, by)))
}

function isSame(one: string, by: string): boolean {
  return one === by
}

/** Whether a name is within a glob; two globs only if equal or below `folder/**`. */
function globCovers(one: string, by: string): boolean {
  if (one === by || by === '**') return true
  if (!/[*?[\]{}()!+@]/.test(one)) return globMatches(by, one)
  return /^[^*?[\]{}()!+@]+\/\*\*$/.test(by) && one.startsWith(by.slice(0, -2))
}

/** `git` matches whatever `git push` does. */
function startsWith(one: string, by: string): boolean {
  return `${one.trim()} `.startsWith(`${by.trim()} `)
}

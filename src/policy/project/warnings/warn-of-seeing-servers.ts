import { hiddenZones } from '../../shell/rules/command-zones.ts'
import { placeOfSource, type Report } from '../../reading/report.ts'
import { isReadBlocked } from '../../worker/read-blocked.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'

/**
 * Warns of servers on standard input with a tool that is pre-approved, if the worker has a zone
 * whose reads ask. A server starts once for all of its tools, so it sees that zone for each of
 * them.
 */
export function warnOfSeeingServers(report: Report, worker: WorkerDefinition): void {
  const asking = worker.zones.filter((zone) => !isReadBlocked(zone))
  const zones = hiddenZones(asking, [{ visibleZones: [] }])
  if (zones.length === 0) return
  const names = zones.map(({ name }) => name).join(' and ')
  for (const { name, transport, tools, source } of worker.mcpServers.values()) {
    const alone = [...tools].flatMap(([tool, { approval }]) =>
      approval === 'preApproved' ? [tool] : [],
    )
    if (transport.type !== 'stdio' || alone.length === 0) continue
    report.warn(
      placeOfSource(source),
      `the server ${name} can read the zone ${names}, whose reads ask, also for ${alone.join(', ')}, which never asks`,
      'let its tools ask, or give the server to a worker without that zone',
    )
  }
}

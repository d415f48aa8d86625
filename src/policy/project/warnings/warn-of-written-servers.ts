import { posix } from 'node:path'
import { placeOfSource, type Report } from '../../reading/report.ts'
import { decidingZones } from '../../globs/zones-of-path.ts'
import { ownFile, type OwnFilesPolicy } from '../../names/own-files.ts'
import { serverPrograms } from '../../worker/server-programs.ts'
import type { McpServer, WorkerDefinition } from '../../worker-definition.ts'

/**
 * Warns of MCP servers whose program the worker can write. The version in force then refuses to
 * start the changed program, but the next recorded version lets it run, with the server's variables
 * and network, and with every pre-approved tool.
 */
export function warnOfWrittenServers(
  report: Report,
  config: OwnFilesPolicy['config'],
  workers: ReadonlyMap<string, WorkerDefinition>,
): void {
  for (const worker of workers.values()) {
    const policy = { config, workers, toolFiles: [] }
    for (const server of worker.mcpServers.values()) {
      const path = programFiles(server).find(
        (file) => isWritable(worker, file) && ownFile(policy, '/project', file) === null,
      )
      if (path === undefined) continue
      report.warn(
        placeOfSource(server.source),
        `the server ${server.name} runs ${path}, which ${worker.name} can write: what it writes there stops the server, and runs as the server after the next activation`,
        'install the server outside of the zones, in node_modules, or in a zone with `mode: ro`',
      )
    }
  }
}

/** The files of the workspace that the server's own words name as programs. */
function programFiles({ transport }: McpServer): readonly string[] {
  if (transport.type !== 'stdio') return []
  return serverPrograms(transport)
    .files.filter((word) => !posix.isAbsolute(word))
    .map((word) => posix.normalize(word))
    .filter((path) => path !== '.' && !path.startsWith('..'))
}

function isWritable({ zones }: WorkerDefinition, path: string): boolean {
  return decidingZones(zones, path).some(
    ({ mode, suffixes }) =>
      mode === 'rw' && (suffixes === null || suffixes.some((suffix) => path.endsWith(suffix))),
  )
}

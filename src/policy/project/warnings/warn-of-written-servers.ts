import { posix } from 'node:path'
import { placeOfSource, type Report } from '../../reading/report.ts'
import { decidingZones } from '../../globs/zones-of-path.ts'
import { ownFile, type OwnFilesPolicy } from '../../names/own-files.ts'
import type { McpServer, WorkerDefinition } from '../../worker-definition.ts'

/** Endings of files that an interpreter runs. */
const script = /\.(?:[cm]?[jt]sx?|py|rb|sh|pl|php|jar|wasm|lua)$/i

/**
 * Warns of MCP servers whose program the worker can write: what it wrote there would run at the
 * next start of the server, with the server's variables and network, and with every tool that is
 * pre-approved.
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
        `the server ${server.name} runs ${path}, which ${worker.name} can write: what it wrote there would run as the server`,
        'install the server outside of the zones, in node_modules, or in a zone with `mode: ro`',
      )
    }
  }
}

/** The files of the workspace that the server's own words name as programs. */
function programFiles({ transport }: McpServer): readonly string[] {
  if (transport.type !== 'stdio') return []
  const { command, args } = transport
  const named = [
    ...(command.includes('/') ? [command] : []),
    ...args.filter((word) => !word.startsWith('-') && (word.startsWith('./') || script.test(word))),
  ]
  return named
    .filter((word) => !posix.isAbsolute(word) && !word.includes('://'))
    .map((word) => posix.normalize(word))
    .filter((path) => path !== '.' && !path.startsWith('..'))
}

function isWritable({ zones }: WorkerDefinition, path: string): boolean {
  return decidingZones(zones, path).some(
    ({ mode, suffixes }) =>
      mode === 'rw' && (suffixes === null || suffixes.some((suffix) => path.endsWith(suffix))),
  )
}

import type { ToolFile } from '#policy/policy.ts'
import type { McpServer, WorkerDefinition } from '#policy/worker-definition.ts'
import { serverPrograms, type ServerPrograms } from '#policy/worker/server-programs.ts'
import { runInThread } from '../../threads/run-in-thread.ts'
import type { ProgramFile } from './read-programs.ts'

const limitMs = 120_000

/** As `readPrograms`, off the event loop. Rejects with a sentence. */
export async function readProgramsInThread(
  root: string,
  servers: readonly ServerPrograms[],
  copies: string | null,
): Promise<readonly ProgramFile[]> {
  const script = new URL('programs-thread.ts', import.meta.url)
  const outcome = await runInThread<{ files: ProgramFile[] } | { problem: string }>(
    script,
    { root, servers: [...servers], copies },
    { limitMs, signal: null },
  )
  if (!outcome.done) throw new Error(`reading them took longer than ${limitMs / 1000} s`)
  if ('problem' in outcome.value) throw new Error(outcome.value.problem)
  return outcome.value.files
}

/**
 * The programs of the servers on standard input of these workers, as a version records them; `null`
 * when there is no such server. Rejects with a sentence.
 */
export async function recordServerFiles(
  projectDir: string,
  workers: Iterable<Pick<WorkerDefinition, 'mcpServers'>>,
): Promise<readonly ToolFile[] | null> {
  const transports = [...workers].flatMap(({ mcpServers }) =>
    [...mcpServers.values()].map(({ transport }) => transport),
  )
  const local = transports.filter(isLocal)
  if (local.length === 0) return null
  const files = await readProgramsInThread(projectDir, local.map(serverPrograms), null)
  return files.map(({ path, hash }) => ({ path, hash }))
}

type LocalTransport = Extract<McpServer['transport'], { type: 'stdio' }>

function isLocal(transport: McpServer['transport']): transport is LocalTransport {
  return transport.type === 'stdio'
}

import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Policy, ProjectProblem } from '#policy/policy.ts'
import type { McpServer, Zone } from '#policy/worker-definition.ts'
import { placeOfSource } from '#policy/reading/report.ts'
import { withGatewayWorkers } from '#policy/worker/gateway-workers.ts'
import { serverScript } from '#policy/worker/server-programs.ts'
import { workspacesOf } from '#policy/workspaces.ts'
import type { Environment } from '#runtime/environment.ts'
import { usualPath } from '#tools/mcp/connection.ts'
import { programCandidates } from '#tools/mcp/sandbox/spawn-in-sandbox.ts'

/**
 * A warning for each MCP server on standard input whose program, or whose script, does not exist in
 * a workspace of this host. Workspaces on other hosts are not checked.
 */
export async function warnOfServerPrograms(
  projectDir: string,
  policy: Policy,
  environment: Environment,
): Promise<readonly ProjectProblem[]> {
  const problems: ProjectProblem[] = []
  for (const worker of withGatewayWorkers(policy).workers.values()) {
    const workspaces = workspacesOf(worker).map((name) => policy.config.workspaces.get(name))
    const roots = workspaces
      .filter((workspace) => workspace?.taskQueue === null)
      .map((workspace) => resolve(projectDir, workspace?.root ?? '.'))
    for (const server of worker.mcpServers.values()) {
      const problem = await problemOf(server, { roots, zones: worker.zones, environment })
      if (problem !== null)
        problems.push({ ...placeOfSource(server.source), ...problem, severity: 'warning' })
    }
  }
  return problems
}

async function problemOf(
  { name, transport }: McpServer,
  on: {
    readonly roots: readonly string[]
    readonly zones: readonly Zone[]
    readonly environment: Environment
  },
): Promise<Pick<ProjectProblem, 'problem' | 'remedy'> | null> {
  if (transport.type !== 'stdio') return null
  const { command } = transport
  const { PATH = usualPath } = { ...on.environment, ...transport.env }
  // The service fills in its variables when it starts the server.
  const isKnown = command.includes('/') || !PATH.includes('${')
  const script = serverScript(transport)
  for (const root of on.roots) {
    if (isKnown && !(await isSomeFile(programCandidates(command, PATH, root)))) {
      const folders = command.includes('/') ? `in ${root}` : 'in the folders of PATH'
      return {
        problem: `the MCP server "${name}" is started with the program ${command}, which does not exist ${folders}`,
        remedy: 'install it, or correct "command"',
      }
    }
    // A server starts in the root or, in a sandbox without a zone there, in the first zone.
    const folders = [root, join(root, on.zones[0]?.root ?? '')]
    if (script !== null && !(await isSomeFile(folders.map((at) => resolve(at, script))))) {
      return {
        problem: `the MCP server "${name}" is started with the script ${script}, which does not exist in ${root}`,
        remedy: 'create the file, or correct "args"',
      }
    }
  }
  return null
}

async function isSomeFile(paths: readonly string[]): Promise<boolean> {
  for (const at of paths) {
    const entry = await stat(at).catch(() => null)
    if (entry?.isFile() === true) return true
  }
  return false
}

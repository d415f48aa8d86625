import { isBuiltInTool } from '#domain/tools/built-in-tools.ts'
import type { Tool, ToolRegistry } from '#domain/tools/tool.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import type { Policy } from '#policy/policy.ts'
import { hashJson } from '#domain/json/digest.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import { errorMessage } from '#domain/error-message.ts'
import { builtInToolsHere } from './built-in.ts'
import { customTool } from './custom/custom-tool.ts'
import type { ToolProcess } from './custom/tool-process.ts'
import type { LoadedTools } from './custom/tool-protocol.ts'
import type { Project } from './delegation/create-worker.ts'
import type { CommandSite } from './commands/plan/command-place.ts'
import type { McpOffer, McpServers } from './mcp/mcp-servers.ts'

/**
 * The tools of a worker under a policy version (workers-and-policy.md): the built-in ones of its
 * file, the custom ones that it lists, and those of its MCP servers. A tool that cannot be loaded
 * here is present, and refuses with the reason. `worker` is a name; an unknown one has no tools.
 * `toolProcess`: `null` where no project code may run.
 */
export async function buildRegistry(options: {
  readonly policy: Policy
  readonly worker: string
  readonly toolProcess: ToolProcess | null
  /** absent: this place runs no commands */
  readonly commands?: CommandSite
  /** absent: no MCP servers can be reached here */
  readonly mcpServers?: McpServers
  /** absent: no worker can be written here */
  readonly project?: Project
  /** the tools that are looked up in it; absent: all. Servers that have none are left out */
  readonly needed?: readonly string[] | undefined
  /** opens the worktree of the run whose calls are looked up; absent: it has none */
  readonly worktree?: (() => Promise<Workspace>) | undefined
}): Promise<ToolRegistry> {
  const worker = options.policy.workers.get(options.worker)
  if (worker === undefined) return registryOf([])
  const tools = builtInToolsHere({ ...options, worker })
  const names = [...worker.tools.keys()].filter(
    (name) => !isBuiltInTool(name) && !name.startsWith('mcp__'),
  )
  if (names.length > 0 && options.toolProcess !== null) {
    tools.push(...(await listedTools(names, options.toolProcess)))
  }
  // An unknown name is answered with the names of all tools.
  const isKnown = (name: string): boolean =>
    name.startsWith('mcp__') || tools.some((tool) => tool.name === name)
  const needed = options.needed?.every(isKnown) === true ? options.needed : undefined
  const offer = await options.mcpServers?.toolsOf(options.policy, worker, {
    tools: needed,
    worktree: options.worktree,
  })
  tools.push(...(offer?.tools ?? []))
  const registry = registryOf(
    tools.map((tool) =>
      worker.tools.get(tool.name)?.manual === true ? { ...tool, manual: true } : tool,
    ),
  )
  return offer === undefined ? registry : withServerProblems(registry, offer)
}

/**
 * A tool that a server should have and cannot offer is present when it is looked up, and refuses
 * with the reason.
 */
function withServerProblems(registry: ToolRegistry, offer: McpOffer): ToolRegistry {
  return {
    all: () => registry.all(),
    get(name) {
      const tool = registry.get(name)
      if (tool !== undefined) return tool
      for (const [server, problems] of offer.problems) {
        if (problems.length > 0 && name.startsWith(`mcp__${server}__`)) {
          return unavailableTool(name, problems.join(' '))
        }
      }
      return undefined
    },
  }
}

/**
 * A registry of these tools, in this order. Throws for two tools of one name, because one would
 * hide the other.
 */
export function registryOf(tools: readonly Tool[]): ToolRegistry {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  if (byName.size !== tools.length) throw new TypeError('Two tools have the same name')
  return { get: (name) => byName.get(name), all: () => tools }
}

async function listedTools(names: readonly string[], toolProcess: ToolProcess): Promise<Tool[]> {
  let loaded: LoadedTools
  try {
    loaded = await toolProcess.describe()
  } catch (error) {
    const sentence = errorMessage(error)
    return names.map((name) => unavailableTool(name, sentence))
  }
  return names.map((name) => {
    const description = loaded.tools.find((tool) => tool.name === name)
    if (description !== undefined) return customTool(description, toolProcess)
    const problems = loaded.problems.map(({ file, line, problem }) =>
      line === null ? `${file}: ${problem}` : `${file}:${line}: ${problem}`,
    )
    const why = problems.length === 0 ? 'no file in tools/ defines it.' : problems.join(' ')
    return unavailableTool(name, `The tool ${name} is not available: ${why}`)
  })
}

/** A tool of a worker that this host cannot run: calls are refused with the sentence. */
function unavailableTool(name: string, sentence: string): Tool {
  const refuse = async (): Promise<never> => {
    throw new ToolProblem(sentence)
  }
  return {
    name,
    description: `Not available: ${sentence}`,
    jsonSchema: { type: 'object' },
    risk: 'high',
    readOnly: false,
    idempotent: false,
    manual: false,
    scopes: ['once'],
    definitionHash: hashJson({ name, unavailable: sentence }),
    parse: () => ({ ok: false, problems: [sentence], isUnread: true }),
    accesses: () => [],
    approval: async () => 'ask',
    present: refuse,
    execute: async () => ({ type: 'error', output: { problem: sentence }, text: sentence }),
  }
}

import type { Tool } from '#domain/tools/tool.ts'
import type { Rule } from '#domain/policy/verdict.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'
import { didYouMean } from '../../reading/did-you-mean.ts'
import type { PolicyQuery } from './policy-query.ts'

/** Id of the rule that blocks an MCP server whose pin is not the signed one (security.md 13). */
export const forgedPinRuleId = 'mcp:forged'

/** Step 1: the tool of a call, or a sentence for the model why the call cannot be made. */
export function resolveTool(
  query: PolicyQuery,
  worker: WorkerDefinition,
): { readonly tool: Tool } | { readonly error: string; readonly rule: Rule | null } {
  const { tool: name, registry } = query
  const tool = registry.get(name)
  if (tool === undefined) return refuse(unknownTool(query, worker))
  const forged = tool.server?.forged ?? null
  if (forged !== null) {
    return { error: forged, rule: { id: forgedPinRuleId, text: forged, source: null } }
  }
  if (query.hasDuplicateId) {
    return refuse('Two calls of this turn have the same id; give every call an id of its own')
  }
  const isManualTool = isManual(tool, worker)
  if (isManualTool && !query.byPerson) return refuse(`Only a person may invoke the tool ${name}`)
  if (!isManualTool && query.byPerson) {
    return refuse(`The tool ${name} is the model's: people invoke manual tools only`)
  }
  return { tool }
}

function isManual(tool: Tool, worker: WorkerDefinition): boolean {
  return tool.manual || worker.tools.get(tool.name)?.manual === true
}

function refuse(error: string): { readonly error: string; readonly rule: null } {
  return { error, rule: null }
}

/** Lists what this caller may name: a person the manual tools, the model the others. */
function unknownTool(query: PolicyQuery, worker: WorkerDefinition): string {
  const { tool: name, registry, byPerson } = query
  const names = registry
    .all()
    .filter((tool) => isManual(tool, worker) === byPerson)
    .map((tool) => tool.name)
  return `There is no tool ${JSON.stringify(name)}; ${didYouMean(name, names)}`
}

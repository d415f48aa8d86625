import type { ApprovalWord } from '#domain/policy/verdict.ts'
import type { ServerTool } from '#domain/tools/tool.ts'
import { errorMessage } from '#domain/error-message.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'
import type { CanonicalCall } from '../calls/canonical-call.ts'
import { opinionOf, type Opinion } from './opinion.ts'

/**
 * The opinions of the tool and of the worker file's `tools`. A tool without an approval of its own
 * asks, unless the worker file marks it pre-approved or zones apply to it (product.md 3).
 */
export async function toolOpinions(
  worker: WorkerDefinition,
  call: Omit<CanonicalCall, 'digest'>,
): Promise<readonly Opinion[]> {
  const { name } = call.tool
  const setting = worker.tools.get(name)?.consent ?? null
  const opinions = setting === null ? [] : [opinionOf(setting, `tool:${name}`, `tool ${name}`)]
  const { server } = call.tool
  if (server !== undefined) return [...opinions, serverOpinion(worker, name, server)]
  const own = await ownOpinion(call)
  if (own !== null) return [...opinions, own]
  if (setting === null && call.accesses.length === 0 && call.command === null) {
    opinions.push(asks(name, `tool ${name} declares no approval: it asks`))
  }
  return opinions
}

/**
 * An MCP tool asks, unless the worker file says otherwise about the definition that was activated
 * (product.md 25).
 */
function serverOpinion(worker: WorkerDefinition, name: string, server: ServerTool): Opinion {
  const setting = worker.mcpServers.get(server.name)?.tools.get(server.tool)
  if (setting?.approval === 'blocked') return opinionOf(setting, `tool:${name}`, `tool ${name}`)
  if (server.changed !== null) {
    const rule = { id: 'mcp:changed', text: `${server.changed}: it asks`, source: null }
    return { approval: 'ask', rule, reason: null, isHighRisk: false }
  }
  if (setting !== undefined) return opinionOf(setting, `tool:${name}`, `tool ${name}`)
  return asks(name, `tool ${name} of the MCP server ${server.name}: it asks`)
}

/** The tool's own approval. Anything else than an approval asks, with the reason shown. */
async function ownOpinion({
  tool,
  input,
}: Pick<CanonicalCall, 'tool' | 'input'>): Promise<Opinion | null> {
  let answer: unknown
  try {
    answer = await tool.approval(input)
  } catch (error) {
    const message = errorMessage(error)
    return asks(
      tool.name,
      `tool ${tool.name} asks: its approval function failed (${clip(message)})`,
    )
  }
  if (answer === null) return null
  const unstated = { reason: null, source: '' }
  const subject = `tool ${tool.name}`
  const opinion = (approval: ApprovalWord, reason: string | null): Opinion => {
    const plain = opinionOf({ ...unstated, approval, reason }, `tool:${tool.name}`, subject)
    return { ...plain, rule: { ...plain.rule, source: null } }
  }
  if (answer === 'ask' || answer === true) return opinion('ask', null)
  if (answer === 'preApproved' || answer === false) return opinion('preApproved', null)
  const blocked = typeof answer === 'object' && Object.hasOwn(answer, 'blocked')
  if (blocked) return opinion('blocked', blockReason((answer as { blocked: unknown }).blocked))
  return asks(
    tool.name,
    `tool ${tool.name} asks: its approval function returned ${clip(describe(answer))}, which is no verdict`,
  )
}

function blockReason(reason: unknown): string | null {
  return typeof reason === 'string' && reason.trim() !== '' ? reason : null
}

function asks(name: string, text: string): Opinion {
  const rule = { id: `tool:${name}`, text, source: null }
  return { approval: 'ask', rule, reason: null, isHighRisk: false }
}

function describe(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value
  } catch {
    return typeof value
  }
}

function clip(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}… (${text.length} characters)`
}

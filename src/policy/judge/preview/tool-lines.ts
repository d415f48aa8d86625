import {
  builtInTool,
  callWorkerName,
  createWorkerName,
  gitPushName,
  mergeBranchName,
  isBuiltInTool,
} from '#domain/tools/built-in-tools.ts'
import type { McpServer, WorkerDefinition } from '../../worker-definition.ts'
import { hasBuiltIn } from '../../worker/built-in-tools-of.ts'
import { lineWithoutTool, type PreviewLine } from './preview-line.ts'

/** What a worker may do with its other tools: custom ones, those of MCP servers, and delegation. */
export function toolLines(worker: WorkerDefinition): readonly PreviewLine[] {
  return [
    ...delegationLines(worker),
    ...personLines(worker),
    ...ownToolLines(worker),
    ...[...worker.mcpServers.values()].flatMap(serverLines),
  ]
}

function delegationLines(worker: WorkerDefinition): readonly PreviewLine[] {
  if (!hasBuiltIn(worker, callWorkerName)) return []
  const setting = worker.tools.get(callWorkerName)
  const consent = setting?.consent ?? null
  const names = worker.workers.join(', ')
  const lines: PreviewLine[] = []
  if (names !== '') {
    lines.push({
      approval: consent?.approval ?? 'ask',
      text: `Hand work to ${names}`,
      tools: [callWorkerName],
      reason: consent?.reason ?? null,
      source: consent?.source ?? setting?.source ?? worker.workersSource ?? null,
    })
  }
  const writing = worker.tools.get(createWorkerName)
  if (writing !== undefined) {
    const text = 'Hand work to workers that it has written itself'
    const { source } = writing
    lines.push({ approval: 'ask', text, tools: [callWorkerName], reason: null, source })
  }
  return lines
}

const personWords: ReadonlyMap<string, string> = new Map([
  [createWorkerName, 'Write a new worker'],
  [mergeBranchName, 'Merge the branch of its run'],
  [gitPushName, 'Push a branch to a remote'],
])

/** The tools that always need a person. */
function personLines(worker: WorkerDefinition): readonly PreviewLine[] {
  return [...worker.tools].flatMap(([name, { source }]) => {
    const consent = builtInTool(name)?.consent
    if (consent !== 'approval' && consent !== 'answer') return []
    const text = personWords.get(name) ?? 'Ask a person a question'
    // A preview does not name the starter of the run as an approver, but the starter may answer.
    const reason = consent === 'answer' ? 'whoever started the run may answer too' : null
    return [{ approval: 'ask' as const, text, tools: [name], reason, source }]
  })
}

function ownToolLines({ tools }: WorkerDefinition): readonly PreviewLine[] {
  return [...tools].flatMap(([name, setting]) => {
    if (isBuiltInTool(name)) return []
    const text = `Use the tool ${name}`
    const { source, consent } = setting
    if (setting.manual) return [{ ...lineWithoutTool(text, 'only a person may invoke it'), source }]
    const { approval, reason } = consent ?? {
      approval: 'ask' as const,
      reason: 'unless the tool itself says otherwise',
    }
    return [{ approval, text, tools: [name], reason, source: consent?.source ?? source }]
  })
}

function serverLines(server: McpServer): readonly PreviewLine[] {
  const named = [...server.tools].map(([tool, { approval, reason, source }]) => ({
    approval,
    text: `Use ${tool} of the MCP server ${server.name}`,
    tools: [`mcp__${server.name}__${tool}`],
    reason,
    source,
  }))
  const text = `Use ${named.length === 0 ? 'the tools' : 'other tools'} of the MCP server ${server.name}`
  const others = { tools: [`mcp__${server.name}__*`], reason: null, source: server.source }
  return [...named, { approval: 'ask', text, ...others }]
}

import path from 'node:path'
import { isBuiltInTool } from '#domain/tools/built-in-tools.ts'
import { startRunName } from '#domain/runs/start-of-run.ts'
import { isDefinedTool } from '../define-tool.ts'
import type { ToolFileProblem, ToolProcessSetup } from '../tool-protocol.ts'
import { readRegularFileSync } from '#sandbox/read-regular-file.ts'
import { adaptDefinedTool } from './adapt-defined-tool.ts'
import type { LoadedTool } from './loaded-tool.ts'
import { loadOnlyRecorded, projectUrl } from './module-hooks.ts'
import { ToolFileChanged } from './recorded-modules.ts'

const toolName = /^[A-Za-z_][A-Za-z0-9_-]{0,127}$/

/**
 * Imports every entry file, announcing each first, and collects their tools. A file that fails is a
 * problem, and loading continues.
 */
export async function loadToolFiles(
  setup: ToolProcessSetup,
  announce: (file: string) => void,
): Promise<{ tools: Map<string, LoadedTool>; problems: ToolFileProblem[] }> {
  const tools = new Map<string, LoadedTool>()
  const problems: ToolFileProblem[] = []
  try {
    loadOnlyRecorded(setup)
  } catch (error) {
    return { tools, problems: [problemOf(error, setup.projectDir, 'package.json')] }
  }
  for (const file of setup.entries) {
    announce(file)
    const at = projectUrl(setup.projectDir, file)
    try {
      const exported: Record<string, unknown> = await import(at)
      const loaded = await toolsOf(exported, file)
      if (loaded.length === 0) {
        throw new TypeError('It exports no tool: use defineTool, or the AI SDK’s tool.')
      }
      for (const tool of loaded) add(tools, tool)
    } catch (error) {
      problems.push(problemOf(error, setup.projectDir, file))
    }
  }
  return { tools, problems }
}

/** `default` of an AI SDK tool is named by its file, another export by its own name. */
async function toolsOf(exported: Record<string, unknown>, file: string): Promise<LoadedTool[]> {
  const loaded: LoadedTool[] = []
  for (const [name, value] of Object.entries(exported)) {
    if (isDefinedTool(value)) {
      loaded.push(adaptDefinedTool(value, file))
      continue
    }
    // Only files that need the AI SDK load it.
    const sdk = looksLikeTool(value) ? await import('./adapt-ai-sdk-tool.ts') : null
    if (sdk === null || !sdk.isAiSdkTool(value)) continue
    const called = name === 'default' ? path.basename(file).replace(/\.[^.]+$/, '') : name
    loaded.push(await sdk.adaptAiSdkTool(value, called, file, exported.toolApproval))
  }
  return loaded
}

function looksLikeTool(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'inputSchema' in value
}

function add(tools: Map<string, LoadedTool>, tool: LoadedTool): void {
  const { name } = tool.description
  if (!toolName.test(name) || name.startsWith('mcp__')) {
    throw new TypeError(
      `${JSON.stringify(name)} is not the name of a tool: letters, digits, "_" and "-", not beginning with mcp__.`,
    )
  }
  if (isBuiltInTool(name) || name === startRunName) {
    throw new TypeError(`${name} is the name of a built-in tool.`)
  }
  const existing = tools.get(name)
  if (existing !== undefined) {
    throw new TypeError(`${name} is already defined in ${existing.description.file}.`)
  }
  tools.set(name, tool)
}

/** The place and reason of an error: the file's first line on the stack, or the likely one. */
function problemOf(error: unknown, projectDir: string, file: string): ToolFileProblem {
  if (error instanceof ToolFileChanged) {
    return { file: error.file, line: null, problem: `${error.message}.`, changed: true }
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const at = stack.indexOf(`/${file}:`)
  const line = at === -1 ? Number.NaN : Number.parseInt(stack.slice(at + file.length + 2), 10)
  return {
    file,
    line: Number.isNaN(line) ? likelyLine(message, path.join(projectDir, file)) : line,
    problem: message,
    changed: false,
  }
}

/** The line of the import that was not found, else of the first export. */
function likelyLine(message: string, at: string): number {
  const missing = /^Error: Cannot find (?:package|module) '([^']+)'/.exec(message)?.[1]
  const lines = (readRegularFileSync(at)?.toString('utf8') ?? '').split('\n')
  const index = lines.findIndex((text) =>
    missing === undefined ? /^\s*export\b/.test(text) : text.includes(missing),
  )
  return Math.max(index, 0) + 1
}

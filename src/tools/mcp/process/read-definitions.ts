import { isJsonObject } from '#domain/json/is-object.ts'
import { isJson } from '../../custom/process/parse-input.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { storable } from '#domain/text/encoding/storable-text.ts'
import { hashOfDefinition, type McpDefinition } from '../mcp-protocol.ts'

/** The longest name that providers of models accept, part of which is the `mcp__` prefix. */
const toolName = /^[A-Za-z0-9_-]{1,64}$/
const maxDefinitionBytes = 64 * 1024
/** Far above what people write, and below the depth that exhausts the stack of what reads it. */
const maxLevels = 100

/** Tools as a server lists them, and a sentence for each that cannot be offered. */
export function readDefinitions(entries: readonly object[]): {
  readonly tools: McpDefinition[]
  readonly problems: string[]
} {
  const tools = new Map<string, McpDefinition>()
  const problems: string[] = []
  for (const entry of entries) {
    const read = readDefinition(entry)
    if (typeof read === 'string') problems.push(read)
    else if (tools.has(read.name)) problems.push(`It lists two tools named ${read.name}.`)
    else tools.set(read.name, read)
  }
  return { tools: [...tools.values()], problems }
}

function readDefinition(tool: object): McpDefinition | string {
  const name = 'name' in tool ? tool.name : null
  if (typeof name !== 'string' || !toolName.test(name)) {
    return `A tool is named ${JSON.stringify(name).slice(0, 100)}: letters, digits, "_" and "-", at most 64.`
  }
  if (!isWithin(maxLevels, tool)) {
    return `The definition of ${name} is nested over ${maxLevels} levels deep.`
  }
  const entry = JSON.parse(JSON.stringify(tool)) as JsonObject
  const bytes = Buffer.byteLength(JSON.stringify(entry))
  if (bytes > maxDefinitionBytes) {
    return `The definition of ${name} has ${bytes} bytes, more than ${maxDefinitionBytes}.`
  }
  const { inputSchema } = entry
  if (!isJsonObject(inputSchema) || !isJson(inputSchema))
    return `${name} has no schema for its input.`
  const definition: McpDefinition = {
    name,
    title: typeof entry['title'] === 'string' ? storable(entry['title']) : null,
    description: typeof entry['description'] === 'string' ? storable(entry['description']) : '',
    inputSchema,
    outputSchema: isJsonObject(entry['outputSchema']) ? entry['outputSchema'] : null,
    annotations: isJsonObject(entry['annotations']) ? entry['annotations'] : {},
  }
  try {
    hashOfDefinition(definition)
  } catch {
    return `The definition of ${name} holds text that is not valid Unicode.`
  }
  return definition
}

/** Whether a value has at most so many levels of objects and lists. */
function isWithin(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((part) => isWithin(levels - 1, part))
}

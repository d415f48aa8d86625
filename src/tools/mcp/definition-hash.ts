import { hashJson } from '../../domain/digest.ts'
import type { McpDefinition } from './mcp-protocol.ts'

/** `sha256:…` of everything that a server says of a tool: name, title, description, schemas and annotations. */
export function hashOfDefinition(definition: McpDefinition): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = definition
  return hashJson({ name, title, description, inputSchema, outputSchema, annotations })
}

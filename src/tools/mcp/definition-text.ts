import { canonicalJson } from '#domain/json/digest.ts'
import { difference } from '../presentations/difference.ts'
import { textWarnings } from '../presentations/text-warnings.ts'
import type { McpDefinition } from './mcp-protocol.ts'

/** A server's definition of a tool as lines; the caller shows hidden characters. */
export function definitionLines(definition: McpDefinition): string[] {
  const { title, description, annotations, inputSchema, outputSchema } = definition
  // In the order of the hash: a server may list the members in another order each time.
  const json = (value: object): string[] =>
    JSON.stringify(JSON.parse(canonicalJson(value)), null, 2).split('\n')
  return [
    ...(title === null ? [] : [`title: ${title}`]),
    'description:',
    ...description.split('\n').map((line) => (line === '' ? '' : `  ${line}`)),
    'annotations:',
    ...json(annotations),
    'input:',
    ...json(inputSchema),
    ...(outputSchema === null ? [] : ['output:', ...json(outputSchema)]),
  ]
}

/** The difference of two definitions, as a unified diff; `null` for a missing tool. */
export async function definitionDifference(
  before: McpDefinition | null,
  after: McpDefinition | null,
): Promise<string> {
  const text = (definition: McpDefinition | null): string =>
    definition === null ? '' : `${definitionLines(definition).join('\n')}\n`
  const names = {
    before: before === null ? null : before.name,
    after: after === null ? null : after.name,
  }
  return (await difference(names, text(before), text(after), null)).text
}

/** Matches from the start of a run only, so that long runs of blanks are read once. */
const blanksAtEnd = /(?<![ \t\r])[ \t\r]+$/

/** Hidden and look-alike characters in a server's definition of a tool, as sentences. */
export function definitionWarnings(definition: McpDefinition): string[] {
  const lines = [definition.name, ...definitionLines(definition)]
  const warnings = textWarnings(lines.map((line) => line.replace(blanksAtEnd, '')))
  return warnings.map((warning) => `In the server's definition of the tool: ${warning}`)
}

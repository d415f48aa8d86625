import { z } from 'zod'
import type { JsonObject } from '#domain/json/json.ts'
import { configFileSchema } from './config-file.ts'
import { scriptFileSchema } from './script-file.ts'
import { workerFileSchema } from './worker-file.ts'

const files = {
  countersign: { schema: configFileSchema, title: 'countersign.yaml' },
  worker: { schema: workerFileSchema, title: 'Front matter of workers/NAME.md' },
  script: { schema: scriptFileSchema, title: 'A scripted model' },
} as const

export type SchemaName = keyof typeof files
export const schemaNames = Object.keys(files) as SchemaName[]

/**
 * The JSON Schema of a kind of project file, for editors: draft 7, which YAML language servers
 * read. It accepts whatever `countersign check` accepts; references between files, and some
 * relations within them, are that command's alone.
 */
export function jsonSchemaOf(name: SchemaName): JsonObject {
  return { ...makeSchema(name, withoutLinks), title: files[name].title }
}

/** The same for pages: the links of its descriptions are relative to docs/. */
export function documentedSchemaOf(name: SchemaName): JsonObject {
  return makeSchema(name, (text) => text)
}

function makeSchema(name: SchemaName, writeText: (text: string) => string): JsonObject {
  return z.toJSONSchema(files[name].schema, {
    target: 'draft-7',
    io: 'input',
    override: ({ jsonSchema }) => {
      const { description } = jsonSchema
      if (description !== undefined) jsonSchema.description = writeText(description)
    },
  }) as JsonObject
}

/** Replaces links by their text, since editors show them as text. */
function withoutLinks(text: string): string {
  return text.replaceAll(/\[([^\]]*)\]\([^)\s]*\)/g, '$1')
}

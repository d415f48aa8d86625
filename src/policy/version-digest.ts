import { hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { ProjectFiles, ToolFile } from './policy.ts'

/** A version as it is stored: all its files, in JSON. */
export function policyDocument(files: ProjectFiles): JsonObject {
  return {
    version: 1,
    files: Object.fromEntries(files.texts),
    tools: hashesByPath(files.toolFiles),
    ...(files.serverFiles === undefined ? {} : { servers: hashesByPath(files.serverFiles) }),
  }
}

function hashesByPath(files: readonly ToolFile[]): JsonObject {
  return Object.fromEntries(files.map((file) => [file.path, file.hash]))
}

/** Content address of a version: hash of the canonical JSON of its document. */
export function policyDigest(files: ProjectFiles): string {
  return hashJson(policyDocument(files))
}

/**
 * The files of a stored document, sorted by path, because jsonb has its own order of keys. Throws
 * for a document of another shape.
 */
export function filesOfDocument(document: JsonObject): ProjectFiles {
  const { files, tools, servers } = document
  const texts = new Map(textEntries(files))
  const toolFiles = hashedFiles(tools)
  if (servers === undefined) return { texts, toolFiles }
  return { texts, toolFiles, serverFiles: hashedFiles(servers) }
}

function hashedFiles(value: unknown): ToolFile[] {
  return textEntries(value).map(([path, hash]) => ({ path, hash }))
}

function textEntries(value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError('This is not a stored policy version')
  }
  const byPath = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return byPath.map(([key, text]) => {
    if (typeof text !== 'string') throw new TypeError('This is not a stored policy version')
    return [key, text]
  })
}

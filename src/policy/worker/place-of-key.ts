import type { SourceLine } from '../reading/report.ts'
import type { WorkerDefinition } from '../worker-definition.ts'
import { splitFrontMatter } from './front-matter.ts'

/** Where the file of a worker says `key`; no line where the key does not begin one. */
export function placeOfKey({ name, text }: WorkerDefinition, key: string): SourceLine {
  const lines = splitFrontMatter(text)?.yaml.split('\n') ?? []
  const index = lines.findIndex((line) => line.startsWith(`${key}:`))
  return { file: `workers/${name}.md`, line: index === -1 ? null : index + 1 }
}

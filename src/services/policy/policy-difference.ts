import { canonicalJson } from '../../domain/digest.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { Policy, ProjectConfig, ProjectFiles } from '../../policy/policy.ts'

/** An audit event has at most 60 KiB, whatever the names are made of. */
const mostNamed = 40
const mostCharacters = 100

/** What a new version changes, for the trail: files added, changed and removed, and which settings differ. No contents. */
export function policyDifference(before: Policy | null, after: Policy): JsonObject {
  const old = contentsOf(before?.files ?? { texts: new Map(), toolFiles: [] })
  const now = contentsOf(after.files)
  return {
    added: named([...now.keys()].filter((path) => !old.has(path))),
    changed: named([...now].filter(([path, text]) => differs(old.get(path), text)).map(first)),
    removed: named([...old.keys()].filter((path) => !now.has(path))),
    settings: before === null ? [] : changedSettings(before.config, after.config),
  }
}

function contentsOf(files: ProjectFiles): Map<string, string> {
  const tools = files.toolFiles.map((tool) => [tool.path, tool.hash] as const)
  return new Map([...files.texts, ...tools])
}

function differs(old: string | undefined, now: string): boolean {
  return old !== undefined && old !== now
}

function first(entry: readonly [string, string]): string {
  return entry[0]
}

/** Names, with the number of those left out. */
function named(paths: readonly string[]): string[] {
  const sorted = paths.toSorted().map((path) => path.slice(0, mostCharacters))
  if (sorted.length <= mostNamed) return sorted
  return [...sorted.slice(0, mostNamed), `and ${sorted.length - mostNamed} more`]
}

function changedSettings(before: ProjectConfig, after: ProjectConfig): string[] {
  const keys = Object.keys(after) as (keyof ProjectConfig)[]
  return keys.filter(
    (key) => canonicalJson(plain(before[key])) !== canonicalJson(plain(after[key])),
  )
}

/** Maps as lists of entries, without the lines things are written in. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return [...value].map(([key, one]) => [key, plain(one)])
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (key === 'source' ? [] : [[key, plain(one)]])),
  )
}

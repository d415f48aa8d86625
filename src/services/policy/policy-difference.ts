import type { JsonObject } from '#domain/json/json.ts'
import {
  compareVersions,
  type SettingChange,
  maskChange,
} from '#policy/difference/compare-versions.ts'
import type { Policy } from '#policy/policy.ts'

/** An audit event has at most 60 KiB, however long names and values are. */
const maxNames = 40
const maxCharacters = 100

/**
 * The changes of a new version, for the trail: files added, changed and removed, the changed parts
 * of the configuration, and the settings before and after. Long values are cut, secrets masked, and
 * omissions counted.
 */
export function policyDifference(before: Policy | null, after: Policy): JsonObject {
  const { files, settings } = compareVersions(before, after)
  const pathsWith = (change: string): string[] =>
    shortenPaths(files.filter((file) => file.change === change).map((file) => file.path))
  const parts = settings.map(({ at }) => at.split(/[. ]/)[0] ?? at)
  return {
    added: pathsWith('added'),
    changed: pathsWith('changed'),
    removed: pathsWith('removed'),
    settings: shortenPaths([...new Set(parts)]),
    changes: settings.slice(0, maxNames).map((change) => cut(maskChange(change))),
    ...(settings.length > maxNames ? { moreChanges: settings.length - maxNames } : {}),
  }
}

function cut({ at, before, after }: SettingChange): JsonObject {
  const short = (value: string | null): string | null =>
    value === null || value.length <= maxCharacters
      ? value
      : `${value.slice(0, maxCharacters).toWellFormed()}… (${value.length} characters)`
  return { at: at.slice(0, maxCharacters), before: short(before), after: short(after) }
}

/** Names, and how many were left out. */
function shortenPaths(paths: readonly string[]): string[] {
  const sorted = paths.toSorted().map((path) => path.slice(0, maxCharacters))
  if (sorted.length <= maxNames) return sorted
  return [...sorted.slice(0, maxNames), `and ${sorted.length - maxNames} more`]
}

import type { JsonObject } from '../../domain/json.ts'
import { compareVersions, type SettingChange } from '../../policy/difference/compare-versions.ts'
import { maskChange } from '../../policy/difference/mask-change.ts'
import type { Policy } from '../../policy/policy.ts'

/** An audit event has at most 60 KiB, whatever names and values are made of. */
const mostNamed = 40
const mostCharacters = 100

/**
 * What a new version changes, for the trail: files added, changed and removed, which parts of the configuration differ
 * and the settings themselves, before and after. Long values are cut, secrets masked, and what is left out is counted.
 */
export function policyDifference(before: Policy | null, after: Policy): JsonObject {
  const { files, settings } = compareVersions(before, after)
  const of = (change: string): string[] =>
    named(files.filter((file) => file.change === change).map((file) => file.path))
  const parts = settings.map(({ at }) => at.split(/[. ]/)[0] ?? at)
  return {
    added: of('added'),
    changed: of('changed'),
    removed: of('removed'),
    settings: named([...new Set(parts)]),
    changes: settings.slice(0, mostNamed).map((change) => cut(maskChange(change))),
    ...(settings.length > mostNamed ? { moreChanges: settings.length - mostNamed } : {}),
  }
}

function cut({ at, before, after }: SettingChange): JsonObject {
  const short = (value: string | null): string | null =>
    value === null || value.length <= mostCharacters
      ? value
      : `${value.slice(0, mostCharacters).toWellFormed()}… (${value.length} characters)`
  return { at: at.slice(0, mostCharacters), before: short(before), after: short(after) }
}

/** Names, with the number of those left out. */
function named(paths: readonly string[]): string[] {
  const sorted = paths.toSorted().map((path) => path.slice(0, mostCharacters))
  if (sorted.length <= mostNamed) return sorted
  return [...sorted.slice(0, mostNamed), `and ${sorted.length - mostNamed} more`]
}

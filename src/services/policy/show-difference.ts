import { Problem } from '../../domain/problem.ts'
import {
  compareVersions,
  type FileChange,
  type SettingChange,
} from '../../policy/difference/compare-versions.ts'
import { maskChange } from '../../policy/difference/mask-change.ts'
import type { Policy } from '../../policy/policy.ts'
import { difference } from '../../tools/presentations/difference.ts'
import { hasRight } from '../access/has-right.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { loadProject } from './load-project.ts'
import { invalidProject } from './reject-policy.ts'

/** A longer text is not compared line by line, and neither is what takes too long; its settings are. */
const mostCharacters = 256 * 1024

export interface ShownDifference {
  readonly from: string
  readonly to: string
  readonly files: readonly (FileChange & { readonly diff: string | null })[]
  readonly settings: readonly SettingChange[]
  readonly secondPerson: readonly SettingChange[]
}

/**
 * What one version changes of another: `from` a digest, else the version in force; `to` a digest, else what the project
 * folder holds. For people with the right `activatePolicy` or `readAudit`. Rejects with `not_found` for a version that
 * was never activated here, and with every problem when the folder is not valid.
 */
export async function showDifference(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly projectDir: string; readonly from?: string; readonly to?: string },
): Promise<ShownDifference> {
  const mayRead =
    (await hasRight(ctx, caller.actor, 'activatePolicy')) ||
    (await hasRight(ctx, caller.actor, 'readAudit'))
  if (!mayRead) throw new Problem('forbidden', 'This takes the right activatePolicy or readAudit')
  const before =
    input.from === undefined ? await ctx.policies.inForce() : await version(ctx, input.from)
  const after =
    input.to === undefined ? await inFolder(input.projectDir) : await version(ctx, input.to)
  const { files, settings, secondPerson } = compareVersions(before, after)
  const shown: (FileChange & { diff: string | null })[] = []
  for (const file of files) shown.push({ ...file, diff: await diffOf(file, before, after) })
  return {
    from: before.digest,
    to: after.digest,
    files: shown,
    settings: settings.map(maskChange),
    secondPerson: secondPerson.map(maskChange),
  }
}

async function version(ctx: ServiceContext, digest: string): Promise<Policy> {
  try {
    return await ctx.policies.byDigest(digest)
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause
    throw new Problem('not_found', `Version ${digest} was never activated here`, {}, { cause })
  }
}

async function inFolder(projectDir: string): Promise<Policy> {
  const loaded = await loadProject(projectDir)
  if ('problems' in loaded) throw invalidProject(loaded.problems)
  return loaded.policy
}

async function diffOf(file: FileChange, before: Policy, after: Policy): Promise<string | null> {
  const [old, now] = [before.files.texts.get(file.path), after.files.texts.get(file.path)]
  if (old === undefined && now === undefined) return null
  const names = {
    before: old === undefined ? null : file.path,
    after: now === undefined ? null : file.path,
  }
  if ((old?.length ?? 0) + (now?.length ?? 0) > mostCharacters) return null
  const found = await difference(names, old ?? '', now ?? '', null)
  return found?.text ?? null
}

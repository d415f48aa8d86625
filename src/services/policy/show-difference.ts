import type { PolicyDifference } from '#api/schemas/policy/policy.ts'
import { Problem } from '#domain/problem.ts'
import {
  compareVersions,
  type ProjectFileChange,
  maskChange,
} from '#policy/difference/compare-versions.ts'
import type { Policy } from '#policy/policy.ts'
import { difference } from '#tools/presentations/difference.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { loadProject } from './read-project.ts'
import { invalidProject } from './reject-policy.ts'
import { hasRight } from '../core/rights-of.ts'

/** For longer texts, and those that take too long, only the settings are compared. */
const maxCharacters = 256 * 1024

/**
 * The difference between two versions: `from` a digest, else the version in force; `to` a digest,
 * else the project folder. For people with the right `activatePolicy` or `readAudit`. Rejects with
 * `not_found` for a version that was never activated here, and with every problem of an invalid
 * folder.
 */
export async function showDifference(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly projectDir: string; readonly from?: string; readonly to?: string },
): Promise<PolicyDifference> {
  const mayRead =
    (await hasRight(ctx, caller.actor, 'activatePolicy')) ||
    (await hasRight(ctx, caller.actor, 'readAudit'))
  if (!mayRead)
    throw new Problem(
      'forbidden',
      'This needs the right activatePolicy or readAudit (rights in countersign.yaml)',
    )
  const before =
    input.from === undefined ? await ctx.policies.inForce() : await version(ctx, input.from)
  const after =
    input.to === undefined ? await inFolder(input.projectDir) : await version(ctx, input.to)
  const { files, settings, secondPerson } = compareVersions(before, after)
  const diffs: (ProjectFileChange & { diff: string | null })[] = []
  for (const file of files) diffs.push({ ...file, diff: await diffOf(file, before, after) })
  return {
    from: before.digest,
    to: after.digest,
    files: diffs,
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

async function diffOf(
  file: ProjectFileChange,
  before: Policy,
  after: Policy,
): Promise<string | null> {
  const [oldText, newText] = [before.files.texts.get(file.path), after.files.texts.get(file.path)]
  if (oldText === undefined && newText === undefined) return null
  const names = {
    before: oldText === undefined ? null : file.path,
    after: newText === undefined ? null : file.path,
  }
  if ((oldText?.length ?? 0) + (newText?.length ?? 0) > maxCharacters) return null
  return (await difference(names, oldText ?? '', newText ?? '', null)).text
}

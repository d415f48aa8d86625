import { AsyncLocalStorage } from 'node:async_hooks'
import { hashJson } from '#domain/json/digest.ts'
import { Problem } from '#domain/problem.ts'
import type { Verifier } from '#domain/statements/statement-bytes.ts'
import type { Policy } from '#policy/policy.ts'
import { parseProject } from '#policy/project/parse-project.ts'
import { filesOfDocument } from '#policy/version-digest.ts'
import type { Db, Tx } from '#store/database.ts'
import type { Log, PolicyReader } from '../../core/context.ts'
import type { Memory } from '../../core/ledger.ts'
import { refuseOlder } from './refuse-older.ts'
import { newestActivation } from './newest-activation.ts'
import { sequenceOfVersion } from './sequence-of-version.ts'

export interface PolicyReaderParts {
  readonly db: Db
  readonly verifier: Verifier
  readonly memory: Memory
  readonly log: Log
}

/** Versions are small, but a project can have many of them. */
const maxCached = 64

/**
 * Reads the policy versions that this installation activated. It asks Postgres every time which one
 * is in force, and accepts only a signed activation and a text with the right digest. `inForce` and
 * `byDigest` reject with `unavailable` when nothing trustworthy is stored.
 */
export function createPolicyReader(parts: PolicyReaderParts): PolicyReader {
  const { db, verifier, memory, log } = parts
  const outside = AsyncLocalStorage.snapshot()
  const versions = new Map<string, Policy>()
  const activated = new Set<string>()
  let reportedForged = 0
  let lastTrusted: Policy | null = null

  async function version(digest: string, on: Db | Tx): Promise<Policy> {
    const cached = versions.get(digest)
    if (cached !== undefined) return cached
    const policy = await loadVersion(on, digest)
    if (versions.size >= maxCached) versions.clear()
    versions.set(digest, policy)
    return policy
  }

  return {
    async inForce(on) {
      // Before the query: a version that takes force during it is newer than the answer.
      const newest = memory.policy()
      const { statement, hash, forged, audited } = await newestActivation(on ?? db, verifier)
      if (forged.length > 0 && forged.length !== reportedForged) {
        log.error({ forged }, 'policy activations without a valid signature are ignored')
      }
      reportedForged = forged.length
      if (audited > (statement?.sequence ?? 0)) {
        throw new Problem(
          'unavailable',
          `Activation ${audited} of the policy was changed or removed in the database; restart the service to activate the project folder again`,
          { sequence: audited },
        )
      }
      await refuseOlder({ db, outside, memory, log, newest }, statement, hash)
      if (statement === null) {
        throw new Problem('unavailable', 'No policy version has been activated yet')
      }
      lastTrusted = await version(statement.policyDigest, on ?? db)
      return lastTrusted
    },

    lastTrusted: () => lastTrusted,

    async byDigest(digest, on) {
      if (!activated.has(digest)) {
        if ((await sequenceOfVersion(on ?? db, verifier, digest)) === null) {
          throw new Problem('unavailable', `Policy version ${digest} was never activated here`)
        }
        activated.add(digest)
      }
      return await version(digest, on ?? db)
    },
  }
}

async function loadVersion(db: Db | Tx, digest: string): Promise<Policy> {
  const row = await db
    .selectFrom('policy_version')
    .select('document')
    .where('digest', '=', digest)
    .executeTakeFirst()
  if (row === undefined) {
    throw new Problem('unavailable', `Policy version ${digest} is not stored`)
  }
  if (hashJson(row.document) !== digest) {
    throw new Problem('unavailable', `Policy version ${digest} was changed in the database`)
  }
  const parsedProject = parseProject(filesOfDocument(row.document))
  if ('problems' in parsedProject) {
    throw new Problem('unavailable', `Policy version ${digest} is not valid for this release`)
  }
  return parsedProject.policy
}

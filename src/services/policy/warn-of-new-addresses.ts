import { configFile } from '#policy/names/own-files.ts'
import type { Policy, ProjectProblem } from '#policy/policy.ts'
import type { Db } from '#store/database.ts'

/**
 * A warning for each new person with the same name as a person whom the version no longer lists. A
 * person with another address counts as another person, who may decide what the former one
 * requested, unless `formerly` says that both are one human (product.md 17).
 */
export async function warnOfNewAddresses(
  db: Db,
  { config: { people } }: Pick<Policy, 'config'>,
): Promise<ProjectProblem[]> {
  const addresses = people.flatMap(({ email, formerly = [] }) => [email, ...formerly])
  const rows = await db
    .selectFrom('person')
    .select(['email', 'name'])
    .where('disabled_at', 'is', null)
    .where('email', 'not in', ['', ...addresses])
    .orderBy('email')
    .execute()
  const unnamed = Map.groupBy(rows, ({ name }) => name.toLowerCase())
  return people.flatMap(({ email, name }) =>
    (unnamed.get(name.toLowerCase()) ?? []).map((former) => ({
      file: configFile,
      line: null,
      problem: `${email} has the name of ${former.email}, whom the file no longer names, and may decide what that address asked for`,
      remedy: `if they are one person, write formerly: ${former.email}; if not, disable the former one`,
      severity: 'warning',
    })),
  )
}

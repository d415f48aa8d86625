import { Problem } from '#domain/problem.ts'
import type { ServiceContext } from '../../core/context.ts'

/**
 * The id of the person with an address in lower case. Rejects with `forbidden` without one, and
 * where somebody wrote the address into a row.
 */
export async function personOfEmail(
  { db, seals }: Pick<ServiceContext, 'db' | 'seals'>,
  email: string,
): Promise<string> {
  const person = await db
    .selectFrom('person')
    .selectAll()
    .where('email', '=', email)
    .executeTakeFirst()
  if (person === undefined || !seals.holds('person', person))
    throw new Problem('forbidden', `${email} is not a person of this project`)
  return person.id
}

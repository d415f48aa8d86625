import { Problem } from '#domain/problem.ts'
import type { Db, Tx } from '#store/database.ts'

/** The id of the person with an address in lower case. Rejects with `forbidden` without one. */
export async function personOfEmail(db: Db | Tx, email: string): Promise<string> {
  const person = await db
    .selectFrom('person')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirst()
  if (person === undefined)
    throw new Problem('forbidden', `${email} is not a person of this project`)
  return person.id
}

import { addRun } from '#test/harness/fixtures/gated-run.ts'
import { addPerson } from '#test/harness/fixtures/people.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'

/** A database with people of several teams, and a run that Ada started. */
export async function openInsightDesk() {
  const database = await createTestDatabase()
  const { db } = database
  const service = await createTestService(db)
  const people = {
    ada: await addPerson(db, 'Ada', []),
    grace: await addPerson(db, 'Grace', ['platform']),
    linus: await addPerson(db, 'Linus', ['platform']),
    aud: await addPerson(db, 'Aud', ['auditors']),
    sam: await addPerson(db, 'Sam', []),
  }
  const run = await addRun(service, { startedBy: people.ada })
  const dispose = async (): Promise<void> => database[Symbol.asyncDispose]()
  return { database, db, service, people, run, [Symbol.asyncDispose]: dispose }
}

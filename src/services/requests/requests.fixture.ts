import { moveUrgent } from './lists/move-urgent.ts'
import { afterAll, beforeAll } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts'
import {
  addRequest,
  addRun,
  type TestRequest,
  type TestRun,
} from '#test/harness/fixtures/gated-run.ts'
import { addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { createTestService, type TestService } from '#test/harness/fixtures/test-service.ts'
import { listRequests, type ListRequestsInput } from './lists/list-requests.ts'

export let database: TestDatabase
export let service: TestService
export let ada: TestPerson
export let grace: TestPerson
export let linus: TestPerson
export let edsger: TestPerson
export let olga: TestPerson
export let root: TestRun
export let child: TestRun
export let first: TestRequest
export let second: TestRequest
export let third: TestRequest

/**
 * Opens a service for a file of tests about requests: a run of Ada's with two, and one below it of
 * Grace's with one.
 */
export function useRequestDesk(): void {
  beforeAll(async () => {
    database = await createTestDatabase()
    service = await createTestService(database.db)
    ada = await addPerson(database.db, 'Ada', [])
    grace = await addPerson(database.db, 'Grace', ['platform'])
    linus = await addPerson(database.db, 'Linus', ['platform'])
    edsger = await addPerson(database.db, 'Edsger', ['security'])
    olga = await addPerson(database.db, 'Olga', ['operators'])
    root = await addRun(service, { startedBy: ada })
    child = await addRun(service, { startedBy: grace, parent: root })
    const hour = 3_600_000
    first = await addRequest(service, root, { risk: 'low', expiresInMs: 3 * hour })
    second = await addRequest(service, root, { position: 2, risk: 'high', expiresInMs: hour })
    third = await addRequest(service, child, { tool: 'delete_file', expiresInMs: 2 * hour })
    // Unlike the requests of a turn, these were opened one by one: a round puts them together in
    // the order by urgency.
    await moveUrgent(database.db)
  })
  afterAll(() => database[Symbol.asyncDispose]())
}

export async function list(person: TestPerson, input: ListRequestsInput = {}): Promise<string[]> {
  const { items } = await listRequests(service.ctx, person.caller, input)
  return items.map((item) => item.id)
}

import { afterAll, beforeAll, beforeEach } from 'vitest'
import {
  startProviderServer,
  type ProviderServer,
} from '#test/harness/fixtures/models/provider-server.ts'

export let server: ProviderServer

/**
 * Starts a provider for a file of tests about models. Before each test, its recorded questions are
 * removed, and it refuses and cuts nothing.
 */
export function useProviderServer(): void {
  beforeAll(async () => {
    server = await startProviderServer()
  })
  afterAll(() => server[Symbol.asyncDispose]())
  beforeEach(() => {
    server.questions.length = 0
    server.refuse = () => null
    server.cut = (events) => events
  })
}

import { afterAll } from 'vitest'

/** What a test file opens for all of its tests; it is disposed of after them, the last first. */
export function disposeAfterTests<T extends AsyncDisposable>(resource: T): T {
  afterAll(() => resource[Symbol.asyncDispose]())
  return resource
}

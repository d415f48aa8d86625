import { AsyncLocalStorage } from 'node:async_hooks'

/** Runs something outside of the test's transaction, as another caller would. */
export const aside = AsyncLocalStorage.snapshot()

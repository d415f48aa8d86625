import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Runs something outside of the transaction that the test is in, as another caller would.
 */
export const aside = AsyncLocalStorage.snapshot()

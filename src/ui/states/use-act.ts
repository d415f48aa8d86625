import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { announce } from './announce.tsx'
import { showError } from './show-error.ts'

/** Performs an action, then announces `message` or the error. Resolves to whether it succeeded. */
export type Act = (work: () => Promise<unknown>, message?: string) => Promise<boolean>

/**
 * An `Act` that reloads the queries under `queryKey` afterwards, also after a refusal, because its
 * cause may be a change that the page does not show yet.
 */
export function useAct(queryKey: QueryKey): Act {
  const client = useQueryClient()
  return async (work, message) => {
    try {
      await work()
      if (message !== undefined) announce(message)
      return true
    } catch (error) {
      showError(error)
      return false
    } finally {
      await client.invalidateQueries({ queryKey })
    }
  }
}

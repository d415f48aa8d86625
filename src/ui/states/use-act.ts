import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useRef } from 'react'
import { announce } from './announce.tsx'
import { showError } from './show-error.ts'

/**
 * Performs an action, then announces `message`, or shows the error. Resolves to whether it
 * succeeded.
 */
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

/**
 * The same act, one at a time: a second one during the first does nothing, as at a double click.
 * The control is not disabled meanwhile, because it would lose the focus.
 */
export function useOneAtATime<Args extends unknown[]>(
  act: (...args: Args) => Promise<boolean>,
): (...args: Args) => Promise<boolean> {
  const isBusy = useRef(false)
  return async (...args) => {
    if (isBusy.current) return false
    isBusy.current = true
    try {
      return await act(...args)
    } finally {
      isBusy.current = false
    }
  }
}

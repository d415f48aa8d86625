import { notifications } from '@mantine/notifications'
import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { announce } from './announce.tsx'

/** Does what a button stands for, announces `message` or the error; whether it succeeded. */
export type Act = (work: () => Promise<unknown>, message?: string) => Promise<boolean>

/**
 * An `Act` after which the queries under `queryKey` are read again, also after a refusal: its cause
 * may be a change that the page does not show yet.
 */
export function useAct(queryKey: QueryKey): Act {
  const client = useQueryClient()
  return async (work, message) => {
    try {
      await work()
      if (message !== undefined) announce(message)
      return true
    } catch (error) {
      notifications.show({ color: 'red', message: (error as Error).message })
      return false
    } finally {
      await client.invalidateQueries({ queryKey })
    }
  }
}

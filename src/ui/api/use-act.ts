import { notifications } from '@mantine/notifications'
import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { announce } from '../shell/announce.tsx'

/** Does what a press asks for, says what came of it, and answers whether it worked. */
export type Act = (work: () => Promise<unknown>, said?: string) => Promise<boolean>

/** An `Act` after which what lies under `queryKey` is read again, also when it was refused: why may be news. */
export function useAct(queryKey: QueryKey): Act {
  const client = useQueryClient()
  return async (work, said) => {
    try {
      await work()
      if (said !== undefined) announce(said)
      return true
    } catch (error) {
      notifications.show({ color: 'red', message: (error as Error).message })
      return false
    } finally {
      await client.invalidateQueries({ queryKey })
    }
  }
}

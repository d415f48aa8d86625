import { useQueryClient } from '@tanstack/react-query'
import type { NotificationChoice } from '#api/schemas/notifications/notifications.ts'
import { callApi } from '../api/call-api.ts'
import { announce } from '../states/announce.tsx'
import { showError } from '../states/show-error.ts'

export const notificationsKey = ['notifications']

type Changes = Partial<Pick<NotificationChoice['email'], 'choice' | 'ended'>> & {
  /** absent: as the service has it */
  readonly push?: NotificationChoice['push']
}

/** A function that changes the person's notifications. The page shows the change at once. */
export function useNotificationChange({ email, push }: NotificationChoice) {
  const client = useQueryClient()
  return async (changes: Changes): Promise<void> => {
    const body = { choice: email.choice, ended: email.ended, ...changes }
    client.setQueryData<NotificationChoice>(notificationsKey, {
      email: { ...email, choice: body.choice, ended: body.ended },
      push: changes.push ?? push,
    })
    try {
      client.setQueryData(notificationsKey, await callApi('setNotifications', { body }))
      announce('Saved')
    } catch (error) {
      showError(error)
      void client.invalidateQueries({ queryKey: notificationsKey })
    }
  }
}

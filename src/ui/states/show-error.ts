import { notifications } from '@mantine/notifications'
import { errorMessage } from '#domain/error-message.ts'

/** Shows what a caught value says, in a red notification. */
export function showError(error: unknown): void {
  notifications.show({ color: 'red', message: errorMessage(error) })
}
